import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Housekeeping") struct HousekeepingTests {
    let town: Town
    var ada: Phone
    let list: FeedID
    let items: [RecordID<Never>]

    init() throws {
        town = try Town()
        ada = try town.phone()
        list = town.id()
        items = [town.id(), town.id(), town.id()]
        try ada.sync([ada.create(list)] + items.map { ada.item($0, in: list) })
    }

    /// Purges old data.
    ///
    /// - Returns: The lists that moved.
    private func moved() async throws -> Set<FeedID> {
        let moved = Mutex<Set<FeedID>>([])
        let sender = SignalSender { signals, _ in moved.withLock { $0.formUnion(signals.moved) } }
        try await Housekeeping(database: town.database, signals: sender).purge(town.now)
        return moved.withLock { $0 }
    }

    @Test("a tombstone stays for ninety days") mutating func young() async throws {
        try ada.sync(ada.mutation(list, .items, items[0], .delete))
        town.pass(Limits.tombstones)
        // Only how many lists Ada has made on her first day.
        #expect(try await town.purge() == 1)
        #expect(try town.record(list, items[0])?.state.isDeleted == true)
    }

    @Test(
        "an older tombstone is purged, and a device that lags behind rereads the feed",
        arguments: [1, 2, 5_000] as [Int64])
    mutating func old(step: Int64) async throws {
        var away = Phone(town, account: ada.account)
        try away.sync()
        var present = Phone(town, account: ada.account)
        try ada.sync(items.dropFirst().map { ada.mutation(list, .items, $0, .delete) })
        try present.sync()
        let digest = try town.row(list)?.digest
        town.pass(Limits.tombstones + .seconds(1))
        // Two tombstones, what became of all of Ada's six mutations but the last, and the count of her lists that day.
        #expect(try await town.purge(step: step) == 2 + 5 + 1)
        #expect(try town.record(list, items[1]) == nil)
        #expect(try town.row(list)?.horizon == town.row(list)?.sequence)
        #expect(try town.row(list)?.digest == digest)

        #expect(try present.sync().answer.feeds.isEmpty)
        let answer = try away.sync().answer
        #expect(answer.feeds.map { $0.page != nil } == [true])
        #expect(away.replica == ada.replica)
        #expect(away.replica[list]?.count == 3)
    }

    @Test("an edit of a purged record is rejected as not found") mutating func editOfPurged() async throws {
        let seen = try #require(try town.record(list, items[0])).state.sequence
        try ada.sync(ada.mutation(list, .items, items[0], .delete))
        town.pass(Limits.tombstones + .seconds(1))
        try await town.purge()
        let whole: Mutation.Change = .set(["title": "Tea", "position": "a0"])
        #expect(
            try ada.outcomes(
                ada.mutation(list, .items, items[0], .set(["ticked": true]), seen: seen),
                ada.mutation(list, .items, items[0], whole, seen: seen)
            ) == ["notFound", "notFound"])
    }

    @Test("a deleted list's records are purged; its id stays reserved") mutating func closedLists() async throws {
        try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete))
        town.pass(Limits.tombstones + .seconds(1))
        // Six records, what became of all of Ada's five mutations but the last, and the count of her lists that day.
        #expect(try await town.purge(step: 2) == 6 + 4 + 1)
        #expect(try town.record(list, items[0]) == nil)
        // Nothing says any more that the account was in the list.
        #expect(try ada.outcomes(ada.create(list)) == ["idTaken"])
        let row = try #require(try town.row(list))
        #expect([row.live, row.waiting, row.bytes] == [0, 0, 0] && row.digest == FeedDigest())
    }

    @Test("a list is public no longer than its last public link") func publicLinkExpires() async throws {
        for expiry in [60, 120] as [Int64] {
            _ = try town.links.create(
                LinkRequest(role: .viewer, expiresIn: expiry, isPublic: true), for: list.retyped(), by: ada.account,
                at: town.now)
        }
        func access() throws -> FieldValue? { try town.record(list, list.retyped())?.state.fields["access"] }
        town.pass(.seconds(60))
        #expect(try await moved() == [])
        #expect(try access() == "public")
        town.pass(.seconds(60))
        #expect(try await moved() == [list])
        #expect(try access() == "private")
        #expect(try await town.purge() == 0)
    }

    @Test("a list with several members stays shared when its public link expires") func sharedAgain() async throws {
        let ben = try town.phone()
        try town.join(ben, list, of: ada, as: .viewer)
        try publish(list)
        town.pass(.seconds(60))
        #expect(try await moved() == [list])
        #expect(try town.record(list, list.retyped())?.state.fields["access"] == "shared")
    }

    private func publish(_ list: FeedID) throws {
        _ = try town.links.create(
            LinkRequest(role: .viewer, expiresIn: 60, isPublic: true), for: list.retyped(), by: ada.account,
            at: town.now)
    }

    @Test("expired public links are handled a hundred at a time, with rounds in between; each batch signals its lists")
    mutating func manyPublicLinks() async throws {
        let lists: [FeedID] = (0...100).map { _ in town.id() }
        try ada.sync(lists.map { ada.create($0) })
        for list in lists { try publish(list) }
        town.pass(.seconds(60))
        let told = Mutex<[Set<FeedID>]>([])
        let sender = SignalSender { signals, _ in told.withLock { $0.append(signals.moved) } }
        try await Housekeeping(database: town.database, signals: sender).purge(town.now)
        #expect(told.withLock { $0.map(\.count) } == [100, 1])
        #expect(told.withLock { $0.reduce([]) { $0.union($1) } } == Set(lists))
    }

    @Test("pictures are purged a hundred at a time, because each has up to a megabyte") func manyPictures() async throws
    {
        let rows: [[SQLValue]] = (0...100).map { number in
            [
                .id(ada.account), .bytes(Data([UInt8(number)])), .text("image/png"), .integer(1), .time(town.now),
                .flag(false), .bytes(Data([1])),
            ]
        }
        try town.database.writeNow { transaction in
            try transaction.insert(
                into: "picture", ["account", "hash", "type", "size", "created", "is_named", "bytes"], rows)
        }
        let counting = CountingDatabase(town.database)
        let later = town.now + Limits.unnamedPicture + .seconds(1)
        #expect(try await Housekeeping(database: counting, signals: .none).purge(later) == 101)
        let queries = counting.statements.filter { $0.hasPrefix("SELECT") && $0.contains("FROM picture") }
        #expect(queries.count == 3, "A hundred, one, and none.")
    }

    @Test("expired and revoked links are purged after ninety days") func links() async throws {
        let link = try town.links.create(
            LinkRequest(role: .viewer), for: list.retyped(), by: ada.account, at: town.now)
        _ = try town.links.revoke(
            link.value.id, of: list.retyped(), by: ada.account, at: town.now)
        #expect(try await town.purge() == 0)
        town.pass(Limits.tombstones + .seconds(1))
        // The link, what became of all of Ada's four mutations but the last, and the count of her lists that day.
        #expect(try await town.purge() == 1 + 3 + 1)
    }

    @Test("Trap: A row that was found to be old changes before it is deleted: its prefix is paused again – it stays")
    func changedMeanwhile() async throws {
        try town.execute(
            """
            INSERT INTO prefix_pause (prefix, paused, entered, judged, is_told, released)
            VALUES ('+4366412', 1, 0, 50, 1, ?)
            """, [.time(town.now)])
        town.pass(.days(1_000))
        let overtaken = OvertakenDatabase(town.database) { sql, transaction in
            guard sql.contains("DELETE FROM prefix_pause") else { return }
            try transaction.execute("UPDATE prefix_pause SET released = NULL", [])
        }
        try await Housekeeping(database: overtaken, signals: .none).purge(town.now)
        let rows = try town.database.readNow { try $0.query("SELECT prefix FROM prefix_pause") }
        #expect(rows.count == 1)
    }

    // MARK: Silent devices

    private func remembered() throws -> [Int64] {
        try town.database.readNow { transaction in
            try transaction.query("SELECT number FROM taken ORDER BY number").map { try $0.integer(0) }
        }
    }

    @Test(
        "for a device that was silent for ninety days, the last number and the rejections are kept",
        arguments: [1, 2, 100])
    mutating func silent(step: Int64) async throws {
        try ada.sync(ada.item(town.id(), "", in: list), ada.item(town.id(), in: list))
        town.pass(Limits.tombstones)
        // Only how many lists Ada has made on her first day.
        #expect(try await town.purge(step: step) == 1)
        #expect(try remembered() == [1, 2, 3, 4, 5, 6])
        town.pass(.seconds(1))
        #expect(try await town.purge(step: step) == 4)
        #expect(try remembered() == [5, 6])
        #expect(try await town.purge(step: step) == 0)
        // Once it is heard of again, it is remembered again.
        try ada.sync(ada.item(town.id(), in: list))
        #expect(try await town.purge(step: step) == 0)
        #expect(try remembered() == [5, 6, 7])
    }

    @Test(
        "mutations that such a device resends are not applied again, and rejections are repeated",
        arguments: [false, true])
    mutating func comesBack(knowsNothing: Bool) async throws {
        let more = ada.mutation(list, .items, items[0], .edit(set: [:], add: ["count": 1]))
        var device = knowsNothing ? Phone(town, account: ada.account) : ada
        let first = device.acknowledged.number + 1
        let late = device.request([more, device.item(town.id(), "", in: list), more])
        _ = try device.send(late)
        town.pass(Limits.tombstones + .days(1))
        try await town.purge()
        let before = try town.everything()
        let answer = try device.send(late).answer
        #expect(answer.device == .recognised)
        #expect(answer.acknowledged.number == first + 2)
        #expect(answer.outcomes.map(\.number) == [first + 1])
        #expect(answer.outcomes.map(\.code) == [.invalid])
        #expect(try town.everything() == before)
        #expect(try town.record(list, items[0])?.state.fields["count"] == 3)
    }
}
