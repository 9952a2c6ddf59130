import KithModel
import KithServer
import Testing

@Suite("Deleted records") struct TombstoneTests {
    let town: Town
    var ada: Phone
    let list: FeedID
    let counting: CountingDatabase

    init() throws {
        (town, ada, list) = try Town.withList()
        counting = CountingDatabase(town.database)
    }

    /// The tables that have a row of a record.
    private func tables(_ feed: FeedID, _ record: RecordID<Never>) throws -> [String] {
        try town.database.readNow { transaction in
            try transaction.query(
                """
                SELECT 'record' FROM record WHERE feed = ? AND id = ?
                UNION ALL SELECT 'tombstone' FROM tombstone WHERE feed = ? AND id = ?
                """, [.id(feed), .id(record), .id(feed), .id(record)]
            ).map { try $0.text(0) }
        }
    }

    @Test("A record that is deleted and revived again and again has one row: of the live record or of the tombstone")
    func revived() throws {
        var ben = try town.phone()
        for _ in 0..<3 {
            try town.join(ben, list, of: ada, as: .editor)
            #expect(try tables(list, ben.me) == ["record"])
            #expect(try tables(ben.home, list.retyped()) == ["record"])
            try ben.sync()
            #expect(ben.fields(ben.home, list.retyped())?["role"] == "editor")
            try ben.sync(ben.leave(list))
            #expect(try tables(list, ben.me) == ["tombstone"])
            #expect(try tables(ben.home, list.retyped()) == ["tombstone"])
            #expect(ben.fields(ben.home, list.retyped()) == nil)
        }
    }

    /// The statements of a round that write or delete rows of records and tombstones.
    private mutating func writes(_ mutations: [Mutation]) async throws -> [String] {
        counting.reset()
        let request = ada.request(mutations)
        let answer = try await SyncService(database: counting).sync(request, as: ada.account, at: town.now).answer
        ada.apply(answer)
        return counting.statements.flatMap { sql in
            ["INSERT INTO record", "INSERT INTO tombstone", "DELETE FROM record", "DELETE FROM tombstone"]
                .filter { sql.contains("\($0) ") }
        }
    }

    @Test("A push of live records has one statement for them; deletions have two more, however many there are")
    mutating func statements() async throws {
        let items = (0..<100).map { _ in ada.item(town.id(), in: list) }
        let made = try await writes(items)
        #expect(made == ["INSERT INTO record"])
        let deletions = items.map { ada.mutation(list, .items, $0.record, .delete) }
        let deleting = ["INSERT INTO tombstone", "DELETE FROM record"]
        for some in [deletions[..<1], deletions[1..<60]] {
            let deleted = try await writes(Array(some))
            #expect(deleted == deleting)
        }
        let both = try await writes([ada.item(town.id(), in: list)] + deletions[60...])
        #expect(both == ["INSERT INTO record"] + deleting)
    }

    @Test(
        "Edits and deletions arrive in the order in which they were made, in answers of any size",
        arguments: [1, 3, 7, 1_000])
    mutating func order(page: Int) throws {
        let other: FeedID = town.id()
        try ada.sync(ada.create(other))
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        let feeds = [list, list, other]
        let items = (0..<30).map { number in ada.item(town.id(), in: feeds[number % feeds.count]) }
        var mutations: [Mutation] = []
        for (number, item) in items.enumerated() {
            mutations.append(item)
            let earlier = items[number / 2]
            if number % 2 == 1 { mutations.append(ada.mutation(earlier.feed, .items, earlier.record, .delete)) }
        }
        for mutation in mutations { try ada.sync(mutation) }
        var sequences: [FeedID: [Int64]] = [:]
        var deleted = 0
        var more = true
        while more {
            let answer = try tablet.send(tablet.request([]), page: page).answer
            tablet.apply(answer)
            for feed in answer.feeds {
                sequences[feed.feed, default: []] += feed.changes.map(\.sequence)
                deleted += feed.changes.count { $0.fields == nil }
            }
            more = answer.more
        }
        #expect(deleted == 15)
        for (feed, read) in sequences { #expect(read == read.sorted() && Set(read).count == read.count, "\(feed)") }
        #expect(tablet.replica == ada.replica)
        #expect(tablet.digest(list) == (try town.row(list)?.digest))
    }

    @Test("A new device reads no tombstone, and one that lags behind reads each once")
    mutating func newDevice() throws {
        let items = (0..<20).map { _ in ada.item(town.id(), in: list) }
        try ada.sync(items)
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(items.dropFirst().map { ada.mutation(list, .items, $0.record, .delete) })
        let late = try tablet.send(tablet.request([])).answer
        #expect(late.feeds.flatMap(\.changes).filter { $0.fields == nil }.count == 19)
        tablet.apply(late)
        let next = try tablet.send(tablet.request([])).answer
        #expect(next.feeds.isEmpty)
        var new = Phone(town, account: ada.account)
        let first = try new.send(new.request([])).answer
        #expect(first.feeds.allSatisfy { $0.changes.isEmpty })
        new.apply(first)
        #expect(new.replica == ada.replica && tablet.replica == ada.replica)
    }

    @Test("With an account, the tombstones of its own feed are deleted; those in lists of others stay")
    func account() throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync(ben.leave(list))
        #expect(try tables(ben.home, list.retyped()) == ["tombstone"])
        try town.delete(ben.account)
        try town.reach()
        #expect(try tables(ben.home, list.retyped()).isEmpty)
        #expect(try tables(list, ben.me) == ["tombstone"])
    }
}
