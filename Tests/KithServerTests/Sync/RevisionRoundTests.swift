import KithModel
import KithServer
import Testing

@Suite("Rounds by revisions") struct RevisionRoundTests {
    let town: Town
    var ada: Phone
    var ben: Phone
    let list: FeedID

    init() throws {
        town = try Town()
        (ada, ben) = (try town.phone(), try town.phone())
        list = town.id()
        try ada.sync(ada.create(list), ada.item(town.id(), in: list))
        try ben.sync()
    }

    /// Whether a replica has what the server has of its feeds.
    private func isCurrent(_ phone: Phone) throws -> Bool {
        try phone.replica.keys.allSatisfy { try phone.digest($0) == town.row($0)?.digest }
    }

    private func ends(_ token: SyncToken?) -> Bool {
        token.flatMap { RevisionPosition($0) }.map { !$0.isContinued } ?? false
    }

    @Test("a list that was gained is read from its beginning, and one that was lost is named once")
    mutating func gainedAndLost() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        let gained = try ben.sync().answer
        #expect(gained.feeds.map(\.feed) == [ben.home, list])
        #expect(gained.feeds.map { $0.page != nil } == [false, true])
        #expect(try isCurrent(ben))
        try ada.sync(ada.mutation(list, .members, ben.me, .delete))
        #expect(try ben.sync().answer.lost == [list])
        #expect(try ben.sync().answer.lost == [])
        #expect(ben.replica[list] == nil)
    }

    @Test("Law 8: A list that was lost, gained and lost again is named") mutating func lostTwice() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        try ben.sync()
        try ben.sync(ben.leave(list))
        try town.join(ben, list, of: ada, as: .viewer)
        var tablet = Phone(town, account: ben.account)
        try tablet.sync()
        try ben.sync(ben.leave(list))
        try town.join(ben, list, of: ada, as: .viewer)
        try ben.sync(ben.leave(list))
        let answer = try tablet.sync().answer
        #expect(answer.lost == [list])
        #expect(tablet.replica.keys.sorted() == [ben.home])
    }

    @Test("a list that was lost and gained between two rounds is not named, and read again")
    mutating func gainedAgain() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        var tablet = Phone(town, account: ben.account)
        try tablet.sync()
        try ben.sync(ben.leave(list))
        try ada.sync(ada.item(town.id(), in: list))
        try town.join(ben, list, of: ada, as: .editor)
        let answer = try tablet.sync().answer
        #expect(answer.lost.isEmpty)
        #expect(answer.feeds.map(\.feed) == [ben.home, list])
        #expect(try isCurrent(tablet))
    }

    @Test("a list that was gained since the last round is read from its beginning, also after a push to it")
    mutating func gainedAndPushed() throws {
        try town.join(ben, list, of: ada, as: .editor)
        let answer = try ben.sync(ben.item(town.id(), in: list)).answer
        #expect(answer.feeds.filter { $0.page != nil }.map(\.feed) == [list])
        #expect(try isCurrent(ben))
    }

    @Test("changes of others between the last round and a push are in its answer, whatever lists the push changes")
    mutating func changedAndPushed() throws {
        let second: FeedID = town.id()
        try ada.sync(ada.create(second))
        for pushed in [list, second] {
            for changed in [list, second] {
                var tablet = Phone(town, account: ada.account)
                try tablet.sync()
                try ada.sync(ada.item(town.id(), in: changed))
                let answer = try tablet.sync(tablet.item(town.id(), in: pushed)).answer
                #expect(Set(answer.feeds.map(\.feed)) == [pushed, changed])
                #expect(try isCurrent(tablet))
            }
        }
    }

    @Test("a list that is lost between a push and its answer is named, and its records are not in the answer")
    mutating func lostAfterPush() throws {
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync()
        let (request, database) = (ben.request([ben.item(town.id(), in: list)]), town.database)
        let round = SyncRound(request, as: ben.account, at: town.now)
        let pushed = try database.writeNow { try round.push(after: NamedRecords(), in: $0) }
        // Only the access, without the membership in Ben's own feed.
        try town.execute("UPDATE revision SET number = number + 1")
        try town.execute(
            "INSERT INTO lost_access (account, feed, revision) SELECT account, feed, ? FROM access WHERE feed = ? AND account = ?",
            [.integer(pushed.revision.number + 1), .id(list), .id(ben.account)])
        try town.execute("DELETE FROM access WHERE feed = ? AND account = ?", [.id(list), .id(ben.account)])
        let answer = try database.readNow { try round.pull(after: pushed, in: $0).answer }
        #expect(answer.lost == [list])
        #expect(answer.feeds.isEmpty && answer.records.isEmpty)
    }

    @Test("a changed role does not make a list new") mutating func changedRole() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        try ben.sync()
        try ada.sync(ada.role(.editor, of: ben.account, in: list))
        let answer = try ben.sync().answer
        #expect(answer.feeds.map(\.feed) == [ben.home, list])
        #expect(answer.feeds.allSatisfy { $0.page == nil })
    }

    @Test("as long as only others write, the token stays; when much has changed, it is renewed")
    mutating func others() throws {
        let token = ben.token
        try ada.sync(ada.item(town.id(), in: list))
        #expect(try ben.sync().answer.token == token)
        for _ in 0..<100 { try ada.sync(ada.item(town.id(), in: list)) }
        let answer = try ben.sync().answer
        #expect(answer.token != token)
        #expect(answer.feeds.isEmpty)
    }

    @Test("a change is found whatever has changed elsewhere", arguments: [0, 1, 127, 128, 129, 500])
    mutating func walk(elsewhere: Int) throws {
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(ada.item(town.id(), in: list))
        try town.execute("UPDATE revision SET number = number + ?", [.integer(Int64(elsewhere))])
        let answer = try tablet.sync().answer
        #expect(answer.feeds.map(\.feed) == [list] && answer.feeds[0].changes.count == 1)
        #expect(try isCurrent(tablet))
    }

    @Test("a change is found in many lists and in few, whatever has changed elsewhere", arguments: [0, 1, 20, 40, 200])
    mutating func walkOfMany(elsewhere: Int) throws {
        try ada.sync((0..<30).map { _ in ada.create(town.id()) })
        var (tablet, other) = (Phone(town, account: ada.account), Phone(town, account: ben.account))
        try tablet.sync()
        try other.sync()
        try ada.sync(ada.item(town.id(), in: list))
        try ben.sync(ben.profile(["nick": "Ben"]))
        try town.execute("UPDATE revision SET number = number + ?", [.integer(Int64(elsewhere))])
        #expect(try tablet.sync().answer.feeds.map(\.feed) == [list])
        #expect(try other.sync().answer.feeds.map(\.feed) == [ben.home])
        #expect(try isCurrent(tablet))
        #expect(try isCurrent(other))
    }

    @Test(
        "however long a device was away, few statements find where the changes begin",
        arguments: [900, 1_000, 1_200, 4_000])
    mutating func longAway(changes: Int) async throws {
        // Records that are never changed again, and tombstones, are between those that are.
        var items: [RecordID<Never>] = (0..<400).map { _ in town.id() }
        try ada.sync(items.map { ada.item($0, in: list) })
        try ada.sync(items.prefix(100).map { ada.mutation(list, .items, $0, .delete) })
        items.removeFirst(100)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        // Some of them in one commit, the others each in its own; the same items again and again.
        for start in stride(from: 0, to: changes, by: 50) {
            let edits = (start..<start + 50).map { number in
                let item = items[number * 7 % 250]
                return ada.mutation(list, .items, item, .set(["title": .text("\(number)")]))
            }
            if start % 100 == 0 { try ada.sync(edits) } else { for edit in edits { try ada.sync(edit) } }
        }
        try ada.sync(items.suffix(50).map { ada.mutation(list, .items, $0, .delete) })

        let counting = CountingDatabase(town.database)
        let answer = try await SyncService(database: counting)
            .sync(tablet.request([]), as: ada.account, at: town.now).answer
        let places = Set((0..<changes).map { $0 * 7 % 250 })
        #expect(answer.feeds.map(\.feed) == [list])
        #expect(answer.feeds[0].changes.count == places.count + 50)
        // Up to 1,024 changes are looked through; beyond them, a binary search begins.
        #expect((counting.statements.count > 4) == (changes + 50 > 1_024))
        #expect(counting.statements.count < 20)
        tablet.apply(answer)
        #expect(try isCurrent(tablet))
    }

    @Test("Law 8: A token of another account says nothing") mutating func foreign() throws {
        ben.token = ada.token
        let answer = try ben.sync().answer
        #expect(answer.feeds.map(\.feed) == [ben.home] && answer.feeds[0].page != nil)
    }

    @Test("Law 11: A token from the future of a restored database reads everything, and names what was lost")
    mutating func future() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        try ben.sync()
        try ben.sync(ben.leave(list))
        try town.execute("UPDATE revision SET number = number + 1000")
        try ada.sync(ada.item(town.id(), in: list))
        try ben.sync(ben.profile(["nick": "Ben"]))
        try town.execute("UPDATE revision SET number = number - 1000")
        let answer = try ben.sync().answer
        #expect(answer.feeds.map(\.feed) == [ben.home] && answer.feeds[0].page != nil)
        #expect(answer.lost == [list])
        #expect(try isCurrent(ben))
    }

    @Test("Law 11: With a token from the future, too, the answer to a push has what others have written since the push")
    mutating func pushedFromFuture() throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        var position = try #require(ada.token.flatMap { RevisionPosition($0) })
        position.revision = Revision(1_000)
        ada.token = position.token
        let request = ada.request([ada.mutation(list, .items, item, .set(["title": "Milk"]))])
        let (round, database) = (SyncRound(request, as: ada.account, at: town.now), town.database)
        let pushed = try database.writeNow { try round.push(after: NamedRecords(), in: $0) }
        town.pass(.seconds(1))
        try tablet.sync(tablet.mutation(list, .items, item, .set(["title": "Oat milk"])))
        let answer = try database.readNow { try round.pull(after: pushed, in: $0).answer }
        #expect(answer.records.count == 1 && answer.records[0].change.fields?["title"] == "Oat milk")
        ada.apply(answer)
        #expect(ada.replica == tablet.replica)
    }

    @Test("a purged tombstone makes only those reread that have not read it") mutating func purged() async throws {
        let (items, other): ([RecordID<Never>], FeedID) = ([town.id(), town.id()], town.id())
        try ada.sync(items.map { ada.item($0, in: list) } + [ada.create(other)])
        var (away, present) = (Phone(town, account: ada.account), Phone(town, account: ada.account))
        try away.sync()
        try ada.sync(items.map { ada.mutation(list, .items, $0, .delete) })
        try present.sync()
        town.pass(Limits.tombstones + .seconds(1))
        try await town.purge()
        try ada.sync(ada.item(town.id(), in: list))
        for (var phone, isReread) in [(present, false), (away, true)] {
            let answer = try phone.sync().answer
            #expect(answer.feeds.map(\.feed) == [list])
            #expect(answer.feeds.map { $0.page != nil } == [isReread])
            #expect(try isCurrent(phone))
        }
    }

    @Test("answers that end in the middle have short tokens, and continue where they ended", arguments: [1, 3, 40])
    mutating func cutOff(page: Int) throws {
        let lists: [FeedID] = (0..<60).map { _ in town.id() }
        try ada.sync(lists.map { ada.create($0) })
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        let news = lists.enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
        let new: FeedID = town.id()
        try ada.sync(news.flatMap { [ada.item(town.id(), in: $0), ada.item(town.id(), in: $0)] } + [ada.create(new)])
        var read = 0
        for round in 1... {
            let answer = try tablet.send(tablet.request([]), page: page).answer
            #expect(answer.token.rawValue.utf8.count < 200)
            read += answer.feeds.reduce(0) { $0 + $1.changes.count + ($1.page?.columns.map(\.count).reduce(0, +) ?? 0) }
            tablet.apply(answer)
            if !answer.more { break }
            try #require(round < 200)
            // A change in a list that was read already.
            if round == 2 { try ada.sync(ada.item(town.id(), in: lists[1])) }
        }
        // Two items of 40 lists; the new list, its member and its membership; the late item.
        #expect(read == 80 + 3 + 1)
        #expect(ends(tablet.token))
        #expect(tablet.replica == ada.replica)
        #expect(try isCurrent(tablet))
    }

    @Test("a list that is lost while it is read is named, and one that is gained meanwhile is read")
    mutating func whileReading() throws {
        let (second, third): (FeedID, FeedID) = (town.id(), town.id())
        try ada.sync([ada.create(second), ada.create(third)] + (0..<9).map { _ in ada.item(town.id(), in: second) })
        for list in [list, second] { try town.join(ben, list, of: ada, as: .viewer) }
        var tablet = Phone(town, account: ben.account)
        while tablet.replica[second] == nil { tablet.apply(try tablet.send(tablet.request([]), page: 4).answer) }
        try ben.sync(ben.leave(second))
        try town.join(ben, third, of: ada, as: .viewer)
        let answer = try tablet.sync(page: 4).answer
        #expect(answer.lost == [second])
        #expect(tablet.replica.keys.sorted() == [ben.home, list, third].sorted())
        #expect(try isCurrent(tablet))
    }

    @Test("Law 12: A token with a position for each feed is replaced by a short one") mutating func older() throws {
        var tablet = Phone(town, account: ada.account)
        tablet.tokens = .positions
        try tablet.sync()
        #expect(tablet.token.flatMap(FeedPositions.init)?.feeds.count == 2)
        try ada.sync(ada.item(town.id(), in: list))
        tablet.tokens = .revisions
        let answer = try tablet.sync().answer
        #expect(answer.feeds.map(\.feed) == [list] && answer.feeds[0].changes.count == 1)
        #expect(tablet.token.flatMap { RevisionPosition($0) } != nil)
        #expect(try isCurrent(tablet))
    }

    @Test("a server that writes positions reads a token without them") mutating func back() throws {
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(ada.item(town.id(), in: list))
        tablet.tokens = .positions
        let answer = try tablet.sync().answer
        #expect(answer.feeds.map(\.feed) == [list] && answer.feeds[0].changes.count == 1)
        #expect(tablet.token.flatMap(FeedPositions.init)?.feeds.count == 2)
    }
}
