import Foundation
import KithModel
import KithServer
import Testing

@Suite("A check of a SQLite database", .timeLimit(.minutes(15))) struct DatabaseCheckTests {
    private let folder = Folder()

    /// A town with a list of one item, and the ids of both.
    private func prepare() throws -> (town: Town, list: FeedID, item: String) {
        let town = try Town(SQLiteDatabase(path: folder.database))
        var ada = try town.phone()
        let list: FeedID = town.id()
        let item: RecordID<Never> = town.id()
        try ada.sync([ada.create(list), ada.item(item, in: list)])
        return (town, list, item.description)
    }

    private func check() async throws -> DatabaseCheck { try await DatabaseCheck.run(of: folder.database) }

    private func execute(_ town: Town, _ sql: String) throws {
        try town.database.writeNow { try $0.execute(sql) }
    }

    @Test("A sound database has no fault, and everything was read") func sound() async throws {
        let (town, _, _) = try prepare()
        let check = try await check()
        #expect(check.count == 0 && check.faults.isEmpty)
        #expect(check.server == town.database.server && check.comparedFeeds == 2)
        #expect(check.tables > 30 && check.rows > 5)
    }

    @Test(
        "Trap: A value that SQLite can read and the server cannot is named by its ids, and not quoted",
        arguments: ["fields = 'my diary'", "stamps = 'my diary'", "modified = 'my diary'"])
    func values(change: String) async throws {
        let (town, list, item) = try prepare()
        try execute(town, "UPDATE record SET \(change) WHERE collection = 'item'")
        let faults = try await check().faults
        #expect(faults.map(\.kind) == [.value] && faults.map(\.table) == ["record"])
        #expect(faults.first?.ids == [list.description, item])
        #expect(!"\(faults)".contains("diary"))
    }

    @Test("A damaged id of a row for which others wait is named by its bytes") func waiting() async throws {
        let (town, _, _) = try prepare()
        try execute(town, "INSERT INTO sign_up (account, joined, due) VALUES (X'010203', 0, 0)")
        let faults = try await check().faults
        #expect(faults.map(\.kind) == [.value] && faults.map(\.table) == ["sign_up"])
        #expect(faults.map(\.ids) == [["x'010203'"]])
    }

    @Test(
        "Trap: A programme that only a newer version can read is not damaged – a text that is no JSON is",
        arguments: [(#"{"later":1}"#, 0), ("diary", 1)])
    func programme(json: String, count: Int) async throws {
        let (town, _, _) = try prepare()
        try execute(
            town,
            "INSERT INTO programme (name, json, is_paused, created, changed) VALUES ('newer', '\(json)', 0, 0, 0)")
        #expect(try await check().count == count)
    }

    @Test("A feed whose digest does not fit its records is named") func digests() async throws {
        let (town, list, _) = try prepare()
        try town.database.writeNow { transaction in
            try transaction.execute("UPDATE feed SET digest = digest + 1 WHERE id = ?", [.id(list)])
        }
        let check = try await check()
        #expect(check.count == 1 && check.faults.first?.kind == .digest)
        #expect(check.faults.first?.ids == [list.description])
    }

    @Test("Records of a feed that is missing are named") func references() async throws {
        let (town, list, _) = try prepare()
        try town.database.writeNow { transaction in
            try transaction.execute("DELETE FROM feed WHERE id = ?", [.id(list)])
        }
        let faults = try await check().faults
        #expect(faults.contains { $0.kind == .reference && $0.table == "record" && $0.ids == [list.description] })
    }

    @Test("What SQLite itself finds is in its words") func structure() async throws {
        let (town, _, _) = try prepare()
        for statement in [
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT NOT NULL', 'value TEXT') WHERE name = 'meta'",
            "PRAGMA writable_schema = RESET", "INSERT INTO meta (name, value) VALUES ('damaged', NULL)",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT', 'value TEXT NOT NULL') WHERE name = 'meta'",
            "PRAGMA writable_schema = RESET",
        ] { try execute(town, statement) }
        let faults = try await check().faults
        #expect(faults.map(\.kind) == [.structure] && faults.first?.detail == "NULL value in meta.value")
    }

    @Test("A table that returns the same rows again and again is named, and is not read for ever") func repeatedRows()
        async throws
    {
        let (town, _, _) = try prepare()
        // They are stored in an order that is not that of the key, once the key ignores the case of letters.
        let names = (0..<10).map { "Z\($0)" } + ["version"]
        let rows = names.map { "('\($0)', '{\"later\":1}', 0, 0, 0)" }.joined(separator: ", ")
        for statement in [
            "INSERT INTO programme (name, json, is_paused, created, changed) VALUES \(rows)",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT', 'name TEXT COLLATE NOCASE') WHERE name = 'programme'",
            "PRAGMA writable_schema = RESET",
        ] { try execute(town, statement) }
        let faults = try await check().faults
        #expect(faults.contains { $0.kind == .structure && $0.table == "programme" })
    }

    @Test("Without a database there is nothing to check") func missing() async {
        let error = await #expect(throws: ServerError.self) { try await check() }
        #expect(error?.code == .notFound)
    }
}
