import KithModel
import KithServer
import Testing

/// SQLite has one writer at a time, so every other write waits for a slow one.
@Suite("The writes of rounds and background jobs in SQLite") struct SQLitePlanTests {
    private let counting: CountingDatabase
    private let town: Town

    init() throws {
        counting = CountingDatabase(try SQLiteDatabase.inMemory(random: RandomBytes(seed: 7)))
        town = try Town(counting)
    }

    /// Steps that read everything of something short: the keys of discovery, and the messages that wait to be sent.
    private static let short: Set = ["SCAN discovery_key", "SCAN message USING INDEX message_due"]

    /// Checks the plans of all statements until now that write, or look up rows of a row set.
    ///
    /// - Returns: These statements.
    @discardableResult private func expectSearches() throws -> Set<String> {
        let beginnings = ["WITH wanted", "UPDATE", "DELETE"]
        let writes = Set(counting.statements).filter { sql in beginnings.contains { sql.hasPrefix($0) } }
        for sql in writes.sorted() {
            let faults = try SQLitePlan(of: sql, in: town.database).faults.filter { !Self.short.contains($0) }
            #expect(faults.isEmpty, "\(faults): \(sql)")
        }
        return writes
    }

    @Test("find their rows by an index: of invitations, of a list, and of deleted accounts") func invitations() throws {
        let (world, inviter, guest, list) = try InvitationWorld.withList(town)
        var (ada, ben, cem) = (inviter, guest, try world.person("Cem"))
        try world.prove("mailto:ben@example.com", by: ben)
        try world.prove("mailto:cem@example.com", by: cem)
        let join = Invitation.Purpose.list(list.retyped(), .editor)
        #expect(
            try ada.outcomes(ada.invite("mailto:ben@example.com", join), ada.invite("mailto:cem@example.com"))
                == ["applied", "applied"])
        try world.work()
        try ben.sync()
        #expect(try ben.outcomes(ben.answer(ben.invitation(), .accept)) == ["applied"])
        try cem.sync()
        #expect(try cem.outcomes(cem.answer(cem.invitation(), .decline)) == ["applied"])
        #expect(try cem.outcomes(cem.delete(cem.invitation())) == ["applied"])
        try world.work()
        #expect(try town.role(ben.account, list) == .editor)
        for account in [ada.account, cem.account] {
            try town.delete(account)
            try town.reach()
            try world.work()
        }
        let writes = try expectSearches()
        #expect(writes.count { $0.contains("(receiver, received) IN") } == 3)
    }

    @Test("find their rows by all columns that they name: of old rows") func housekeeping() async throws {
        let tables = [
            "ceremony", "code", "issuer_login", "link", "message", "operator_session", "pairing", "picture",
            "prefix_pause", "rate_use", "signal", "sms", "usage", "visit", "webhook_delivery", "work_turn",
        ]
        for table in tables { try insertOldRow(into: table) }
        try await Housekeeping(database: counting, signals: .none).purge(town.now)
        let writes = try expectSearches()
        for table in tables {
            let count = try town.database.readNow { try $0.query("SELECT count(*) FROM \(table)").first?.integer(0) }
            #expect(count == 0)
            #expect(writes.contains { $0.contains("DELETE FROM \(table) ") })
        }
    }

    /// Inserts a row that is as old as can be.
    private func insertOldRow(into table: String) throws {
        let columns = try town.database.readNow { transaction in
            try transaction.query("SELECT name, type FROM pragma_table_info(?)", [.text(table)])
                .map { (name: try $0.text(0), type: try $0.text(1)) }
        }
        let values = columns.map { column -> SQLValue in
            switch column.type {
            case "BIGINT": .integer(0)
            case "TEXT": .text("")
            default: .id(town.id(Feed.self))
            }
        }
        try town.database.writeNow { transaction in
            try transaction.insert(into: table, columns.map { $0.name }, [values])
        }
    }

    @Test("find their rows by all columns that they name: of old keys of discovery, and of removed identities")
    func discovery() async throws {
        let seeker = try await Seeker(counting)
        try await seeker.register("mailto:ada@example.com")
        try await seeker.register("mailto:ben@example.com")
        let gone = try #require(Identity("mailto:ben@example.com"))
        try await seeker.change { try $0.remove(gone, in: $1) }
        _ = try seeker.keys.add()
        try await seeker.keepUp()
        try await seeker.keepUp(at: Seeker.noon + Limits.tombstones + .seconds(1))
        let writes = try expectSearches()
        #expect(writes.contains { $0.contains("DELETE FROM evaluation") })
    }
}
