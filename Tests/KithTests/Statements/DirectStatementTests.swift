import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Statements without GRDB's rows") struct DirectStatementTests {
    private func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE value (id BLOB, text TEXT, number INTEGER)") }
        return queue
    }

    @Test("What it writes is what GRDB reads, and the other way round") func roundTrip() throws {
        let id = RecordID<Never>(UUID(high: 1, low: 2))
        try database().write { db in
            try DirectStatement("INSERT INTO value VALUES (?, ?, ?)", db).run(id, "é 🥛", Int64.min)
            try DirectStatement("INSERT INTO value VALUES (?, ?, ?)", db).run(
                nil as RecordID<Never>?, nil as String?, 0)
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM value ORDER BY rowid")
            #expect(rows[0] == ["id": id.uuid.data, "text": "é 🥛", "number": Int64.min])
            #expect(rows[1] == ["id": nil, "text": nil, "number": 0])
            let read = try DirectStatement("SELECT id, text, number FROM value ORDER BY rowid", db).all { columns in
                (columns.idIfAny(0) as RecordID<Never>?, columns.textIfAny(1), columns.integerIfAny(2))
            }
            #expect(read.map { $0.0 } == [id, nil])
            #expect(read.map { $0.1 } == ["é 🥛", nil])
            #expect(read.map { $0.2 } == [Int64.min, 0])
        }
    }

    @Test("A value of one run is not left for the next") func nothingIsLeft() throws {
        try database().write { db in
            for text in ["a", nil] as [String?] {
                try DirectStatement("INSERT INTO value (text) VALUES (?)", db).run { parameters in
                    if let text { parameters.append(text) }
                }
            }
            try DirectStatement("INSERT INTO value (text, number) VALUES (?, ?)", db).run(forEach: [1, 2]) {
                number, parameters in
                if number == 1 { parameters.append("b") } else { parameters.appendNull() }
                parameters.append(number)
            }
            #expect(
                try String?.fetchAll(db, sql: "SELECT text FROM value ORDER BY rowid") == ["a", nil, "b", nil])
        }
    }

    @Test("A column without an identity counts as damage") func noIdentity() throws {
        try database().write { db in
            try db.execute(sql: "INSERT INTO value (id) VALUES (x'00')")
            let statement = try DirectStatement("SELECT id FROM value", db)
            #expect(throws: DatabaseError.self) { try statement.first { try $0.id(0) as RecordID<Never> } }
            #expect(try statement.first { $0.integer(0) } != nil)
        }
    }

    @Test("A statement that failed can be used again") func failure() throws {
        try database().write { db in
            try db.execute(sql: "CREATE UNIQUE INDEX number ON value (number)")
            let insert = { try DirectStatement("INSERT INTO value (number) VALUES (?)", db).run(1) }
            try insert()
            #expect(throws: DatabaseError.self) { try insert() }
            try DirectStatement("DELETE FROM value", db).run()
            try insert()
            #expect(try DirectStatement("SELECT 1 FROM value", db).hasRow())
        }
    }
}
