import Foundation
import KithModel
import KithServer
import Testing

@Suite("Reading the answer") struct ReadingTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    private func items(_ count: Int) -> [Mutation] { (0..<count).map { ada.item(town.id(), "Item \($0)", in: list) } }

    @Test("without news the answer is empty and has the same token") mutating func nothingNew() throws {
        let token = ada.token
        let answer = try ada.sync().answer
        #expect(answer.feeds.isEmpty && answer.records.isEmpty && answer.outcomes.isEmpty && answer.lost.isEmpty)
        #expect(!answer.more)
        #expect(answer.token == token)
        #expect(answer.time == town.now)
    }

    @Test("a feed in the token is read by changes, oldest first, including deletions")
    mutating func changes() throws {
        let edits = items(3)
        try ada.sync(edits)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(
            ada.mutation(list, .items, edits[1].record, .delete),
            ada.mutation(list, .items, edits[0].record, .set(["ticked": true])))
        let feed = try #require(try tablet.sync().answer.feeds.first)
        #expect(feed.page == nil && feed.isComplete)
        #expect(feed.changes.map(\.id) == [edits[1].record, edits[0].record])
        #expect(feed.changes.map { $0.fields == nil } == [true, false])
        #expect(feed.digest == tablet.digest(list))
    }

    @Test("Trap: Tombstones replayed on a new device – it reads only live records, small feeds whole, its own first")
    mutating func fresh() throws {
        let edits = items(5)
        try ada.sync(edits)
        try ada.sync(ada.mutation(list, .items, edits[0].record, .delete))
        var tablet = Phone(town, account: ada.account)
        let answer = try tablet.sync().answer
        #expect(answer.feeds.map(\.feed) == [ada.home, list])
        #expect(answer.feeds.allSatisfy { $0.changes.isEmpty && $0.page != nil && $0.isComplete })
        #expect(!answer.more)
        #expect(tablet.replica == ada.replica)
        for feed in answer.feeds { #expect(feed.digest == tablet.digest(feed.feed)) }
    }

    @Test("pages continue where they ended, and changes made meanwhile follow them", arguments: [1, 2, 3, 7])
    mutating func pages(size: Int) throws {
        let edits = items(20)
        try ada.sync(edits)
        var tablet = Phone(town, account: ada.account)
        var rounds = 0
        var more = true
        while more {
            let answer = try tablet.send(tablet.request([]), page: size).answer
            for feed in answer.feeds where feed.page != nil { #expect(feed.isComplete == (feed.digest != nil)) }
            tablet.apply(answer)
            more = answer.more
            rounds += 1
            if rounds == 2 {
                // Early and late in the order of ids: one edited, one deleted, one new.
                try ada.sync(
                    ada.mutation(list, .items, edits[0].record, .delete),
                    ada.mutation(list, .items, edits[1].record, .set(["ticked": true])),
                    ada.mutation(list, .items, edits[19].record, .delete), ada.item(town.id(), "Late", in: list))
            }
            #expect(rounds < 100)
        }
        #expect(tablet.replica == ada.replica)
        #expect(tablet.digest(list) == (try town.row(list)?.digest))
    }

    @Test("an answer has at most a fixed number of records", arguments: [1, 5, 6, 100])
    mutating func budget(size: Int) throws {
        try ada.sync(items(10))
        let second: FeedID = town.id()
        try ada.sync(ada.create(second), ada.item(town.id(), in: second))
        var tablet = Phone(town, account: ada.account)
        for round in 1... {
            let answer = try tablet.send(tablet.request([]), page: size).answer
            let count = answer.feeds.map { feed in
                feed.changes.count + (feed.page?.columns.map(\.count).reduce(0, +) ?? 0)
            }.reduce(0, +)
            #expect(count <= size)
            tablet.apply(answer)
            if !answer.more { break }
            try #require(round < 50)
        }
        #expect(tablet.replica == ada.replica)
    }

    @Test("long texts end an answer before the limit of records")
    mutating func longTexts() throws {
        let comment = String(repeating: "🥛", count: 2_000)
        let edits = (0..<1_200).map { number in
            ada.mutation(
                list, .items, town.id(),
                .set(["title": .text("\(number)"), "position": "a0", "comment": .text(comment)]))
        }
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        for start in stride(from: 0, to: edits.count, by: 400) {
            try ada.sync(Array(edits[start..<(start + 400)]))
        }
        // By pages, and by changes.
        for var device in [Phone(town, account: ada.account), tablet] {
            var sizes: [Int] = []
            repeat {
                let answer = try device.send(device.request([])).answer
                sizes.append(try JSONEncoder().encode(answer).count)
                device.apply(answer)
                if !answer.more { break }
            } while sizes.count < 20
            #expect(sizes.count == 3)
            #expect(sizes.allSatisfy { $0 < 5 << 20 }, "\(sizes)")
            #expect(device.replica == ada.replica)
            #expect(device.digest(list) == (try town.row(list)?.digest))
        }
    }

    @Test(
        "with any limit of bytes, an answer makes progress and ends with the record that reaches the limit",
        arguments: 0..<40)
    mutating func bytes(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let room = [1, 40, 100, 400, 2_000].randomElement(using: &random) ?? 1
        let page = [1, 7, 1_000].randomElement(using: &random) ?? 1
        let others: [FeedID] = (0..<4).map { _ in town.id() }
        try ada.sync(others.map { ada.create($0) })
        func more(_ count: Int) -> [Mutation] {
            (0..<count).map { _ in
                let title = String(repeating: "ä", count: Int.random(in: 1...100, using: &random))
                return ada.item(town.id(), title, in: ([list] + others).randomElement(using: &random) ?? list)
            }
        }
        try ada.sync(more(20))
        var tablet = Phone(town, account: ada.account)
        var made = more(20)
        for phase in 0..<2 {
            for round in 0... {
                let answer = try tablet.send(tablet.request([]), page: page, bytes: room).answer
                var sizes: [Int] = []
                for feed in answer.feeds {
                    let records = (feed.changes + (feed.page?.records ?? [])).map { $0.fields ?? [:] }
                    sizes += records.map { CanonicalForm.text($0).utf8.count }
                }
                if answer.more { #expect(!sizes.isEmpty) }
                // Pages keep each collection together, so that the last in the answer is not always the last read.
                #expect(sizes.reduce(0, +) - (sizes.max() ?? 0) < room)
                #expect(sizes.count <= page)
                tablet.apply(answer)
                if round == 1 { try ada.sync(made.removeFirst()) }
                if !answer.more { break }
                try #require(round < 300)
            }
            if phase == 0 { try ada.sync(made) }
        }
        try tablet.sync()
        #expect(tablet.replica == ada.replica)
        for feed in [list] + others { #expect(tablet.digest(feed) == (try town.row(feed)?.digest)) }
    }

    @Test("the records of a request's mutations count against the limit of bytes") mutating func namedTakeRoom() throws
    {
        let edits = items(10)
        try ada.sync(edits)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(items(10))
        let tick = tablet.mutation(list, .items, edits[0].record, .set(["ticked": true]))
        let alone = try tablet.send(tablet.request([]), bytes: 100).answer
        let answer = try tablet.send(tablet.request([tick]), bytes: 100).answer
        #expect(answer.records.count == 1)
        #expect(try #require(answer.feeds.first).changes.count < #require(alone.feeds.first).changes.count)
        #expect(answer.more)
    }

    @Test("many changes arrive in parts, each after the last") mutating func manyChanges() throws {
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(items(10))
        let answer = try tablet.send(tablet.request([]), page: 4).answer
        #expect(answer.feeds.map(\.changes.count) == [4])
        #expect(answer.feeds.map(\.isComplete) == [false])
        #expect(answer.feeds.first?.digest == nil)
        #expect(answer.more)
        try tablet.sync(page: 4)
        #expect(tablet.replica == ada.replica)
    }

    @Test("a record that changed often counts once") mutating func sparseChanges() throws {
        let edits = items(2)
        try ada.sync(edits)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        for _ in 0..<10 {
            try ada.sync(ada.mutation(list, .items, edits[0].record, .edit(set: [:], add: ["count": 1])))
        }
        let answer = try tablet.send(tablet.request([]), page: 4).answer
        #expect(answer.feeds.map(\.changes.count) == [1])
        #expect(answer.feeds.map(\.isComplete) == [true])
        #expect(!answer.more)
    }

    @Test("a reread feed is sent once from its beginning, even in many pages")
    mutating func reread() throws {
        try ada.sync(items(10))
        var request = ada.request([])
        request.reread = [list, town.id()]
        var answers: [SyncAnswer] = []
        repeat {
            request.token = ada.token
            answers.append(try ada.send(request, page: 4).answer)
            ada.apply(try #require(answers.last))
        } while answers.last?.more == true && answers.count < 10
        #expect(answers.count == 3)
        #expect(answers.first?.feeds.first?.page?.after == nil)
        #expect(answers.last?.feeds.first?.digest == ada.digest(list))
        #expect(ada.replica[list]?.count == 12)
    }

    @Test("a reread that does not fit into an answer is done later") mutating func postponedReread() throws {
        let second: FeedID = town.id()
        try ada.sync(ada.create(second))
        var request = ada.request([])
        request.reread = [list, second]
        let first = try ada.send(request, page: 2).answer
        ada.apply(first)
        #expect(first.more)
        let next = try ada.send(ada.request([]), page: 2).answer
        #expect(Set((first.feeds + next.feeds).map(\.feed)) == [list, second])
        #expect(next.feeds.allSatisfy { $0.page != nil })
    }

    @Test("feeds of the token that cannot be read any more are reported as lost until the answer has arrived")
    mutating func lost() throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .viewer)
        try ben.sync()
        #expect(ben.replica[list]?.isEmpty == false)
        try ada.sync(ada.mutation(list, .members, ben.me, .delete))
        for _ in 0..<2 { #expect(try ben.send(ben.request([])).answer.lost == [list]) }
        try ben.sync()
        #expect(ben.replica[list] == nil)
        #expect(try ben.sync().answer.lost == [])
    }

    @Test("the answer contains each record that a request names, also if nothing was applied or none exists")
    mutating func named() throws {
        let (item, nothing): (RecordID<Never>, RecordID<Never>) = (town.id(), town.id())
        try ada.sync(ada.item(item, in: list))
        let elsewhere: FeedID = town.id()
        let answer = try ada.sync(
            ada.item(item, "", in: list), ada.mutation(list, .items, nothing, .set(["ticked": true])),
            ada.item(town.id(), in: elsewhere), ada.mutation(list, .items, item, .set(["ticked": false]))
        ).answer
        #expect(answer.records.map(\.change.id) == [item, nothing])
        #expect(answer.records.map(\.feed) == [list, list])
        #expect(answer.records[0].change.fields?["title"] == "Tea")
        #expect(answer.records[1].change.sequence == 0)
        #expect(answer.records[1].change.modified == Timestamp(milliseconds: 0))
        #expect(answer.records[1].change.fields == nil)
    }

    @Test("the named records are in the order of their feeds, then of their ids")
    mutating func namedInOrder() throws {
        let second: FeedID = town.id()
        let ids: [RecordID<Never>] = [town.id(), town.id(), town.id(), town.id()]
        let answer = try ada.sync(
            ada.create(second), ada.item(ids[3], in: list), ada.item(ids[0], in: second),
            ada.item(ids[1], in: list), ada.item(ids[2], in: second)
        ).answer
        #expect(answer.records.map(\.feed) == [list, list, second, second, second])
        #expect(answer.records.map(\.change.id) == [ids[1], ids[3], second.retyped(), ids[0], ids[2]])
    }

    @Test("a token that cannot be read, or of another epoch, counts as none")
    mutating func otherToken() throws {
        let first = try #require(ada.token)
        for text in [
            "", "?", "AQ", "not a token", String(first.rawValue.dropLast(3)), String(repeating: "A", count: 999),
        ] {
            ada.token = SyncToken(rawValue: text)
            let answer = try ada.send(ada.request([])).answer
            #expect(answer.feeds.map { $0.page != nil } == [true, true], "\(text)")
            #expect(answer.lost.isEmpty)
        }
        ada.token = first
        let old = try ada.sync().answer.epoch
        try town.sqlite.newEpoch()
        let answer = try ada.sync().answer
        #expect(answer.epoch != old)
        #expect(answer.feeds.count == 2)
        #expect(ada.token != first)
    }

    @Test("a deleted account's device is told to open a new session") func noAccount() throws {
        let nobody = Phone(town, account: town.id())
        var request = nobody
        let error = try #require(#expect(throws: ServerError.self) { try nobody.send(request.request([])) })
        #expect(error.code == .accountClosed)
    }

    // MARK: Decisions

    @Test("how a feed is read depends on its sequence, its horizon and the replica's position")
    func decisions() {
        var feed = FeedRow(id: town.id(), kind: .list, writtenAt: town.now)
        feed.sequence = 10
        feed.horizon = 4
        let id: RecordID<Never> = town.id()
        let again = NextPart.pages(after: nil, since: 10)
        func reading(_ position: FeedPositions.Position?, isReread: Bool = false) -> NextPart {
            NextPart(of: feed, from: position, isReread: isReread)
        }
        #expect(reading(nil) == again)
        #expect(reading(.reread) == again)
        #expect(reading(.changes(after: 10)) == .nothing)
        #expect(reading(.changes(after: 9)) == .changes(after: 9))
        #expect(reading(.changes(after: 4)) == .changes(after: 4))
        #expect(reading(.changes(after: 3)) == again)
        #expect(reading(.changes(after: 11)) == again)
        #expect(reading(.changes(after: 10), isReread: true) == again)
        #expect(reading(.pages(after: id, since: 7)) == .pages(after: id, since: 7))
        #expect(reading(.pages(after: id, since: 7), isReread: true) == .pages(after: id, since: 7))
        #expect(reading(.pages(after: id, since: 3)) == again)
        #expect(reading(.pages(after: id, since: 11)) == again)
    }

    @Test("a token encodes its content in few bytes", arguments: 0..<50 as Range<UInt64>)
    func tokens(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var positions = FeedPositions(epoch: String(repeating: "e", count: Int.random(in: 0...22, using: &random)))
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            positions.feeds[RecordID(.version7(time: town.now, using: &random))] =
                switch Int.random(in: 0...2, using: &random) {
                case 0: .changes(after: Int64.random(in: 0...Int64.max, using: &random))
                case 1: .pages(after: RecordID(.version7(time: town.now, using: &random)), since: 0)
                default: .reread
                }
        }
        let token = positions.token
        #expect(FeedPositions(token) == positions)
        #expect(token.rawValue.utf8.count < 40 + positions.feeds.count * 58)
        for _ in 0..<50 {
            var bytes = Array(token.rawValue.utf8)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
            // Whatever it says now, reading it ends well.
            if let changed = FeedPositions(SyncToken(rawValue: String(decoding: bytes, as: UTF8.self))) {
                #expect(changed.feeds.count <= positions.feeds.count + 3)
            }
        }
    }
}
