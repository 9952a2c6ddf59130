import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("A small round does not wait for large requests") struct SmallRoundTests {
    private let town: Town
    private var ada: Phone
    private let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    /// Does a round, and returns which of its parts waited in the queue.
    private func round(_ phone: inout Phone, _ mutations: [Mutation]) async throws -> (waits: [Wait], synced: Synced) {
        let scheduler = NotingScheduler()
        let service = SyncService(database: town.database)
        let synced = try await service.sync(
            phone.request(mutations), as: phone.account, at: town.now, through: scheduler)
        phone.apply(synced.answer)
        return (scheduler.waits.withLock { $0 }, synced)
    }

    private func items(_ count: Int) -> [Mutation] { (0..<count).map { _ in ada.item(town.id(), in: list) } }

    /// How many records the account has.
    private func count() throws -> Int {
        let rows = [try #require(try town.row(list)), try #require(try town.row(ada.home))]
        return rows.reduce(0) { $0 + Int($1.live) }
    }

    /// The records in an answer's pages.
    private static func places(_ answer: SyncAnswer) -> [RecordPlace] {
        answer.feeds.flatMap { feed in
            (feed.page?.columns ?? []).flatMap { columns in
                (0..<columns.count).map { RecordPlace(feed.feed, columns.id(at: $0)) }
            }
        }
    }

    @Test("with 20 mutations, but not with 21") mutating func mutations() async throws {
        #expect(try await round(&ada, items(20)).waits == [])
        #expect(try await round(&ada, items(21)).waits == [.push()])
    }

    @Test("that sends up to 200 mutations reads small answers at once") mutating func largePushes() async throws {
        #expect(try await round(&ada, items(200)).waits == [.push()])
        #expect(try await round(&ada, items(201)).waits == [.push(), .read(goesOn: true)])
    }

    @Test("with a push that has everything in its answer, also what the writer does not read: more than 20 records")
    mutating func pushWithNews() async throws {
        for news in [AnswerSize.onWriter.records - 1, AnswerSize.onWriter.records, 100] {
            var tablet = Phone(town, account: ada.account)
            try tablet.sync()
            try ada.sync(items(news))
            let (waits, synced) = try await round(&tablet, [tablet.item(town.id(), in: list)])
            #expect(waits == [] && !synced.answer.more)
            try ada.sync()
            #expect(tablet.replica == ada.replica)
        }
    }

    @Test("with a push, also if the writer does not read its token or its list")
    mutating func pushWithOtherToken() async throws {
        var (older, rereading) = (Phone(town, account: ada.account), Phone(town, account: ada.account))
        older.tokens = .positions
        try older.sync()
        try rereading.sync()
        try ada.sync(items(2))
        for var phone in [older, Phone(town, account: ada.account)] {
            let synced = try await round(&phone, [phone.item(town.id(), in: list)]).synced
            #expect(!synced.answer.more && synced.answer.token.rawValue.utf8.count < AnswerReader.tokenOnWriter)
            try ada.sync()
            #expect(phone.replica == ada.replica)
        }
        var request = rereading.request([rereading.item(town.id(), in: list)])
        request.reread = [list]
        let answer = try await SyncService(database: town.database)
            .sync(request, as: ada.account, at: town.now, through: NotingScheduler()).answer
        #expect(answer.feeds.map { $0.page != nil } == [true])
    }

    @Test("with pushes of one commit that edit the same item: each answer has its last state")
    mutating func oneCommit() async throws {
        let database = try #require(town.database as? SQLiteDatabase)
        database.timeOfWrites = .seconds(600)
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        var phones = [ada, Phone(town, account: ada.account), Phone(town, account: ada.account)]
        for index in phones.indices { try phones[index].sync() }
        let service = SyncService(database: database)
        async let first: Void = database.write { _ in
            while database.waiting < 3 { sched_yield() }
        }
        while !database.isCommitting { await Task.yield() }
        let answers = try await withThrowingTaskGroup(of: (Int, SyncAnswer).self) { group in
            for index in phones.indices {
                let title = FieldValue.text("Tea \(index)")
                let request = phones[index].request([phones[index].mutation(list, .items, item, .set(["title": title]))]
                )
                group.addTask { [account = ada.account, now = town.now] in
                    (index, try await service.sync(request, as: account, at: now, through: NotingScheduler()).answer)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await first
        for (index, answer) in answers { phones[index].apply(answer) }
        #expect(Set(answers.map(\.1.records)).count == 1)
        try ada.sync()
        #expect(phones.allSatisfy { $0.replica == ada.replica })
    }

    @Test("with a push, but the only writer does not read the answer of a device with an old token")
    mutating func pushWithOldToken() async throws {
        let database = WatchedDatabase(database: town.database)
        let service = SyncService(database: database)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        let (token, tea) = (tablet.token, town.id() as RecordID<Never>)
        try ada.sync(ada.item(tea, in: list))
        for isOld in [false, true] {
            // Only one record is new, however often it has changed.
            for number in 0...(isOld ? 128 : 0) {
                try ada.sync(ada.mutation(list, .items, tea, .set(["title": .text("Tea \(number)")])))
            }
            tablet.token = token
            let request = tablet.request([tablet.item(town.id(), in: list)])
            let answer = try await service.sync(
                request, as: ada.account, at: town.now, through: NotingScheduler()
            ).answer
            tablet.apply(answer)
            #expect(database.areReadByWriter.withLock { $0 } == (isOld ? [true, false] : [true]))
        }
        tablet.token = token
        let edit = tablet.request([tablet.mutation(list, .items, town.id(), .set([:]))])
        for _ in 0..<2 {
            let answer = try await service.sync(edit, as: ada.account, at: town.now, through: NotingScheduler()).answer
            tablet.apply(answer)
        }
        #expect(database.areReadByWriter.withLock { $0 } == [true, false, false, false])
        try tablet.sync()
        try ada.sync()
        #expect(tablet.replica == ada.replica)
    }

    @Test("is written in turn if it says of more than 200 lists that they are lost") mutating func lostLists()
        async throws
    {
        let lists = (0..<201).map { _ in town.id() as FeedID }
        for list in lists { try ada.sync(ada.create(list)) }
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        for list in lists { try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete)) }
        let round = try await round(&tablet, [])
        #expect(round.synced.answer.lost.count == 201)
        #expect(round.synced.isLarge)
    }

    @Test("with an answer of 200 records; the next answer continues it after waiting, and repeats none of them")
    mutating func records() async throws {
        try ada.sync(items(200 - count()))
        var tablet = Phone(town, account: ada.account)
        let whole = try await round(&tablet, [])
        #expect(whole.waits == [] && !whole.synced.isLarge && !whole.synced.answer.more)
        try ada.sync(items(1))
        tablet.token = nil
        let small = try await round(&tablet, [])
        #expect(small.waits == [] && !small.synced.isLarge && small.synced.answer.more)
        let large = try await round(&tablet, [])
        #expect(large.waits == [.read(goesOn: false)] && large.synced.isLarge && !large.synced.answer.more)
        let read = [small, large].map { Set(Self.places($0.synced.answer)) }
        #expect(read.map(\.count) == [200, 1] && read[0].isDisjoint(with: read[1]))
        #expect(try await round(&tablet, []).waits == [])
        #expect(tablet.replica == ada.replica)
    }

    @Test("with an answer of 64 KiB of fields; the next answer brings the rest", arguments: [false, true])
    mutating func bytes(isFull: Bool) async throws {
        func item(_ bytes: Int) -> Mutation {
            let comment = String(repeating: "🥛", count: bytes / 4) + String(repeating: "x", count: bytes % 4)
            return ada.mutation(
                list, .items, town.id(), .set(["title": "Tea", "position": "a0", "comment": .text(comment)]))
        }
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        let first = item(7_900)
        try ada.sync(first)
        let others = CanonicalForm.text(try #require(ada.fields(list, first.record))).utf8.count - 7_900
        let left = 64 * 1024 - 8 * (7_900 + others) - others
        try ada.sync((1..<8).map { _ in item(7_900) } + [item(isFull ? left : left - 1), item(0)])
        let small = try await round(&tablet, [])
        #expect(small.waits == [] && small.synced.answer.more == isFull)
        if isFull { #expect(try await round(&tablet, []).waits == [.read(goesOn: false)]) }
        #expect(tablet.replica == ada.replica)
    }

    @Test(
        "is written in turn if it has more than 200 records, with those that the mutations named", arguments: 98...102)
    mutating func namedRecords(count: Int) async throws {
        let round = try await round(&ada, items(count))
        let answer = round.synced.answer
        let records = answer.records.count + answer.feeds.reduce(0) { $0 + $1.changes.count }
        #expect(records == 2 * count)
        #expect(round.waits == [.push()])
        #expect(round.synced.isLarge == (records > 200))
    }

    @Test("is written in turn if the records that the mutations named have more than 64 KiB")
    mutating func namedBytes() async throws {
        let comment = FieldValue.text(String(repeating: "🥛", count: 1_975))
        let made = (0..<10).map { _ in
            ada.mutation(list, .items, town.id(), .set(["title": "Tea", "position": "a0", "comment": comment]))
        }
        try ada.sync(made)
        let ticks = made.map { ada.mutation(list, .items, $0.record, .set(["ticked": true])) }
        let round = try await round(&ada, ticks)
        #expect(round.waits == [] && round.synced.isLarge)
    }
}

/// A database that notes whether its writer has read the answer of each push: no other read follows then.
private final class WatchedDatabase: Database {
    let areReadByWriter = Mutex<[Bool]>([])
    private let database: any Database

    init(database: any Database) { self.database = database }

    var server: ServerID { database.server }
    var hasSeveralWriters: Bool { database.hasSeveralWriters }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        try await database.perform(work, as: mode)
        areReadByWriter.withLock { areRead in
            switch mode {
            case .write: areRead.append(true)
            case .read, .peek: if !areRead.isEmpty { areRead[areRead.count - 1] = false }
            case .check: break
            }
        }
    }
}

/// A part of a round that waited in the queue.
private enum Wait: Hashable {
    case push(goesOn: Bool = false)
    case read(goesOn: Bool)
}

/// Runs everything at once, and notes what was to wait.
private final class NotingScheduler: WorkScheduler {
    let waits = Mutex<[Wait]>([])

    func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        let isRead = cost == WorkUnits.bytes(Limits.pageBytes)
        waits.withLock { $0.append(isRead ? .read(goesOn: goesOn) : .push(goesOn: goesOn)) }
        return try await body()
    }
}
