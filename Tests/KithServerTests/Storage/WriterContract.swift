import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

/// What every database promises to those who write at the same time.
@Suite("Every database with several writers", .postgresServer) struct WriterContract {
    @Test("loses no update of writers that read a row and write it again", arguments: Backend.all)
    func noUpdateIsLost(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await database.write { transaction in
                try transaction.execute("CREATE TABLE tally (id BIGINT NOT NULL PRIMARY KEY, count BIGINT NOT NULL)")
                try transaction.execute("INSERT INTO tally (id, count) VALUES (1, 0)")
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<25 {
                            try await database.write { transaction in
                                let read = "SELECT count FROM tally WHERE id = 1\(transaction.dialect.locking("tally"))"
                                let count = try transaction.query(read)[0].integer(0)
                                try transaction.execute(
                                    "UPDATE tally SET count = ? WHERE id = 1", [.integer(count + 1)])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.read { try $0.query("SELECT count FROM tally")[0].integer(0) } == 200)
        }
    }

    @Test(
        "lets writers that need the same feeds wait for each other in any order, without deadlock",
        arguments: Backend.all)
    func noWriterWaitsForEver(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let town = try await Crowd(Dawdling(database), lists: 4, writers: 8)
            let written = try await withThrowingTaskGroup { group in
                for (number, writer) in town.writers.enumerated() {
                    group.addTask {
                        // Every writer needs every list and its own feed, each in an order of its own.
                        var random = SplitMix64(seed: UInt64(number))
                        return try await writer.write(rounds: 10) { town.lists.shuffled(using: &random) }
                    }
                }
                return try await group.reduce(into: Set()) { $0.formUnion($1) }
            }
            #expect(written.count == 8 * 10 * 4)
            var reader = Follower(database, town.owner)
            try await reader.follow()
            #expect(reader.holds(written))
        }
    }

    @Test(
        "Trap: Order of sequence or time ≠ order of commit – a follower of eight writers misses nothing",
        arguments: Backend.all)
    func followerMissesNothing(backend: Backend) async throws {
        try await backend.withDatabase { database in
            // The first list is the hot one, in which all write; two share each of the others.
            let town = try await Crowd(Dawdling(database), lists: 5, writers: 8)
            let isWriting = Mutex(true)
            async let follower = Self.follow(town, in: database) { isWriting.withLock { $0 } }
            let written = try await withThrowingTaskGroup { group in
                for (number, writer) in town.writers.enumerated() {
                    let lists = [town.lists[0], town.lists[1 + number % 4]]
                    group.addTask { try await writer.write(rounds: 25) { lists } }
                }
                return try await group.reduce(into: Set()) { $0.formUnion($1) }
            }
            isWriting.withLock { $0 = false }
            let told = try await follower
            #expect(written.count == 8 * 25 * 2)
            #expect(told.holds(written), "The follower never saw some of what was written.")
            #expect(told.rounds > 2)
        }
    }

    /// Reads by token for as long as others write, and once more.
    private static func follow(
        _ town: Crowd, in database: any Database, while isWriting: @Sendable () -> Bool
    ) async throws -> Follower {
        var follower = Follower(database, town.owner)
        while isWriting() && !Task.isCancelled { try await follower.follow() }
        try await follower.follow()
        return follower
    }
}

/// A list's item that was written, and where.
private struct Written: Hashable, Sendable {
    var feed: FeedID
    var id: RecordID<Never>
}

private let noon = Timestamp(milliseconds: 1_800_000_000_000)

/// A database in which every fifth write pauses before its commit, so that others get ahead of it where they can.
private final class Dawdling: DatabaseDouble {
    let database: any Database
    private let writes = Mutex(0)

    init(_ database: any Database) { self.database = database }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        let number = writes.withLock { writes in
            writes += 1
            return writes
        }
        try await database.write { transaction in
            try work.run(in: transaction)
            if number % 5 == 0 { usleep(2_000) }
        }
    }
}

/// An owner with lists, and writers who have joined all of them.
private struct Crowd: Sendable {
    let owner: AccountID
    let lists: [FeedID]
    let writers: [Writer]

    init(_ database: any Database, lists count: Int, writers: Int) async throws {
        let sessions = SessionService(database: database, signals: .none)
        owner = try await sessions.open(at: noon).account
        lists = (0..<count).map { _ in FeedID(UUID()) }
        var host = Writer(database, owner)
        try await host.round(lists.map { ($0, .lists, $0.retyped(), ["name": "Groceries"]) })
        var joined: [Writer] = []
        for _ in 0..<writers { joined.append(Writer(database, try await sessions.open(at: noon).account)) }
        for list in lists {
            let token = try await database.write { [owner, server = database.server] transaction in
                let links = LinkTransaction(transaction, at: noon, on: server)
                return try links.create(LinkRequest(role: .editor), for: list.retyped(), by: owner).value.token ?? ""
            }
            for writer in joined {
                _ = try await database.write { [server = database.server] transaction in
                    try LinkTransaction(transaction, at: noon, on: server).accept(token, by: writer.account)
                }
            }
        }
        self.writers = joined
    }
}

/// A device that sends.
private struct Writer: Sendable {
    let account: AccountID
    private let device = DeviceID(UUID())
    private let service: SyncService
    private var acknowledged = Acknowledgement.none
    private var token: SyncToken?

    init(_ database: any Database, _ account: AccountID) {
        self.account = account
        service = SyncService(database: database)
    }

    /// Does a round, of which every mutation must be applied.
    mutating func round(_ changes: [(FeedID, RecordCollection, RecordID<Never>, Fields)]) async throws {
        let first = acknowledged.number + 1
        let mutations = zip(first..., changes).map { number, change in
            Mutation(
                id: MutationID(UUID()), number: number, feed: change.0, collection: change.1, record: change.2,
                seen: 0, change: .set(change.3))
        }
        let request = SyncRequest(
            account: account, device: device, acknowledged: acknowledged,
            sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: token)
        let answer = try await service.sync(request, as: account, at: noon).answer
        #expect(answer.device == .recognised && answer.outcomes.isEmpty)
        acknowledged = answer.acknowledged
        token = answer.token
    }

    /// Adds an item to each of the lists that `lists` names, round after round.
    consuming func write(rounds: Int, _ lists: () -> [FeedID]) async throws -> Set<Written> {
        var written: Set<Written> = []
        for _ in 0..<rounds {
            let items = lists().map { Written(feed: $0, id: RecordID(UUID())) }
            // The place among one's lists is in one's own feed, which the list's owner can touch too.
            try await round(
                items.map { ($0.feed, .items, $0.id, ["title": "Tea", "position": "a0"]) }
                    + [(account.retyped(), .memberships, items[0].feed.retyped(), ["position": "a0"])])
            written.formUnion(items)
        }
        return written
    }
}

/// A device that reads by its token, and holds each feed that it has read to its end against the digest told with it.
private struct Follower: Sendable {
    private let account: AccountID
    private let device = DeviceID(UUID())
    private let service: SyncService
    private var token: SyncToken?
    private var replica: [FeedID: [RecordID<Never>: Int64]] = [:]
    private(set) var rounds = 0

    init(_ database: any Database, _ account: AccountID) {
        self.account = account
        service = SyncService(database: database)
    }

    func holds(_ written: Set<Written>) -> Bool { written.allSatisfy { replica[$0.feed]?[$0.id] != nil } }

    /// Reads until there is no more.
    mutating func follow() async throws {
        var hasMore = true
        while hasMore {
            let request = SyncRequest(
                account: account, device: device, acknowledged: .none, sent: 0, mutations: [], token: token)
            let answer = try await service.sync(request, as: account, at: noon).answer
            for feed in answer.feeds { take(feed) }
            token = answer.token
            hasMore = answer.more
            rounds += 1
        }
    }

    private mutating func take(_ feed: FeedChanges) {
        var records = replica[feed.feed] ?? [:]
        for columns in feed.page?.columns ?? [] {
            for index in 0..<columns.count { records[columns.id(at: index)] = columns.sequences[index] }
        }
        for change in feed.changes { records[change.id] = change.fields == nil ? nil : change.sequence }
        replica[feed.feed] = records
        guard feed.isComplete else { return }
        var digest = FeedDigest()
        for (id, sequence) in records { digest.add(id, sequence: sequence) }
        #expect(digest == feed.digest, "The feed's end was read, and something before it was not.")
    }
}
