import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Statements that insert several rows at once") struct BulkStatementTests {
    private static let insert = "INSERT INTO value (kind, text, number, id) VALUES (?, ?, ?, ?), (?, ?, ?, ?)"

    private func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE value (kind TEXT, text TEXT, number INTEGER, id BLOB)") }
        return queue
    }

    @Test("Each row gets the values of its index, and those that the first run has bound for all") func rows() throws {
        let texts: TextColumn = ["a", nil, "", "é 🥛", nil]
        let id = RecordID<Never>(UUID(high: 1, low: 2))
        try database().write { db in
            try BulkStatement(Self.insert, rows: 2, db).run(forEach: [3, 0, 1, 2]) { rows in
                if rows.areFirst { rows.bind(0) { _ in "all" } }
                rows.bind(1, texts)
                rows.bind(2) { $0 }
                rows.bind(3) { $0 == 3 ? id : nil }
            }
            let wanted: [Row] = [
                ["kind": "all", "text": "é 🥛", "number": 3, "id": id.uuid.data],
                ["kind": "all", "text": "a", "number": 0, "id": nil],
                ["kind": "all", "text": nil, "number": 1, "id": nil],
                ["kind": "all", "text": "", "number": 2, "id": nil],
            ]
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM value ORDER BY rowid") == wanted)
        }
    }

    @Test("A column that is not bound is NULL, also if an earlier use has bound it") func unbound() throws {
        try database().write { db in
            for isFirst in [true, false] {
                try BulkStatement(Self.insert, rows: 2, db).run(forEach: [0, 1]) { rows in
                    if isFirst { rows.bind(0) { _ in "first" } }
                }
            }
            #expect(
                try String?.fetchAll(db, sql: "SELECT kind FROM value ORDER BY rowid") == ["first", "first", nil, nil])
        }
    }

    @Test("Nothing is inserted for no index") func nothing() throws {
        try database().write { db in
            try BulkStatement(Self.insert, rows: 2, db).run(forEach: []) { _ in Issue.record("There is no run.") }
            #expect(try !DirectStatement("SELECT 1 FROM value", db).hasRow())
        }
    }
}
