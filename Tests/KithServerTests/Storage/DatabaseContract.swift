import Foundation
import KithModel
import KithServer
import Testing

/// What every database promises. A new driver is one more ``Backend``.
@Suite("Every database", .postgresServer) struct DatabaseContract {
    private struct Refusal: Error {}

    private static func make(_ database: any Database) async throws {
        try await database.write { transaction in
            try transaction.execute(
                "CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY, content TEXT, data \(transaction.dialect.bytes))")
        }
    }

    private static func add(_ id: Int64, _ transaction: any Transaction) throws {
        try transaction.execute("INSERT INTO note (id, content) VALUES (?, ?)", [.integer(id), .text("note \(id)")])
    }

    private static func ids(_ database: any Database) async throws -> [Int64] {
        try await database.read { transaction in
            try transaction.query("SELECT id FROM note ORDER BY id").map { try $0.integer(0) }
        }
    }

    @Test("reads what was written, within the transaction and after it", arguments: Backend.all)
    func readsItsWrites(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            let within = try await database.write { transaction in
                try Self.add(1, transaction)
                return try transaction.query("SELECT id FROM note").count
            }
            #expect(within == 1)
            #expect(try await Self.ids(database) == [1])
        }
    }

    @Test("returns each kind of value unchanged", arguments: Backend.all)
    func keepsValues(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            let values: [[SQLValue]] = [
                [.integer(.max), .text("ü\u{1F6D2}\n\"'"), .bytes(Data([0, 255, 1]))],
                [.integer(.min), .text(""), .bytes(Data())], [.integer(0), .null, .null],
            ]
            try await database.write { transaction in
                try transaction.insert(into: "note", ["id", "content", "data"], values)
            }
            let rows = try await database.read { try $0.query("SELECT id, content, data FROM note ORDER BY id DESC") }
            #expect(rows.map(\.values) == [values[0], values[2], values[1]])
        }
    }

    @Test(
        "runs a read after a write: it sees what was written, and the write stands if it fails", arguments: Backend.all)
    func readsAfterWriting(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            let (written, read) = try await database.write(inTurn: nil) { transaction in
                try Self.add(1, transaction)
                return 7
            } thenRead: { number, transaction in
                // The second query needs the answer to the first one.
                let ids = try transaction.query("SELECT id FROM note")
                return try number + transaction.query("SELECT id FROM note WHERE id = ?", [ids[0].values[0]]).count
            }
            #expect(written == 7)
            #expect(try read.get() == 8)
            let (_, refused) = try await database.write(inTurn: nil) { transaction in
                try Self.add(2, transaction)
            } thenRead: { _, transaction -> Int in
                _ = try transaction.query("SELECT id FROM note")
                throw Refusal()
            }
            #expect(throws: Refusal.self) { try refused.get() }
            #expect(try await Self.ids(database) == [1, 2])
            await #expect(throws: Refusal.self) {
                _ = try await database.write(inTurn: nil) { transaction -> Int in
                    try Self.add(3, transaction)
                    throw Refusal()
                } thenRead: { number, _ in
                    number
                }
            }
            #expect(try await Self.ids(database) == [1, 2])
        }
    }

    @Test("undoes a write that throws", arguments: Backend.all)
    func rollsBackWhole(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            await #expect(throws: Refusal.self) {
                try await database.write { transaction in
                    try Self.add(1, transaction)
                    try Self.add(2, transaction)
                    throw Refusal()
                }
            }
            #expect(try await Self.ids(database) == [])
        }
    }

    @Test("undoes one failing write of many at once, and no other", arguments: Backend.all)
    func oneFailsAlone(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            let failed = await withTaskGroup { group in
                for id in Int64(0)..<60 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                try Self.add(id, transaction)
                                if id % 3 == 0 { throw Refusal() }
                                // The same key again: an error of the database itself.
                                if id % 3 == 1 { try Self.add(id, transaction) }
                            }
                            return 0
                        } catch { return 1 }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(failed == 40)
            #expect(try await Self.ids(database) == (0..<60).filter { $0 % 3 == 2 })
        }
    }

    @Test("refuses a broken statement as an error of the server", arguments: Backend.all)
    func brokenStatement(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let error = await #expect(throws: ServerError.self) {
                try await database.read { try $0.query("SELECT nothing FROM nowhere") }
            }
            #expect(error?.code == .internalError)
        }
    }

    // In memory there is one connection, so a read and a write cannot overlap at all.
    @Test("shows a reader one snapshot, whatever is written meanwhile", arguments: Backend.concurrent)
    func snapshot(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            try await database.write { try Self.add(1, $0) }
            let counts = try database.readNow { transaction in
                let before = try transaction.query("SELECT id FROM note").count
                try database.writeNow { try Self.add(2, $0) }
                return [before, try transaction.query("SELECT id FROM note").count]
            }
            #expect(counts == [1, 1])
            #expect(try await Self.ids(database) == [1, 2])
        }
    }

    @Test("inserts and replaces more rows than one statement takes", arguments: Backend.all)
    func bulkBeyondLimit(backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            let count = Int64(40_000)
            for round in ["first", "second"] {
                try await database.write { transaction in
                    try transaction.insert(
                        into: "note", ["id", "content"], (0..<count).map { [.integer($0), .text(round)] },
                        replacing: ["id"])
                }
            }
            let seconds = try await database.read { transaction in
                try transaction.query("SELECT COUNT(*) FROM note WHERE content = ?", [.text("second")])[0].integer(0)
            }
            #expect(seconds == count)
            let found = try await database.read { transaction in
                try transaction.query(
                    wanted: ["id"], (0..<count).map { [.integer($0)] },
                    "SELECT note.id FROM wanted CROSS JOIN note WHERE note.id = wanted.id ORDER BY note.id")
            }
            #expect(try found.map { try $0.integer(0) } == Array(0..<count))
        }
    }

    /// Texts that would mean something in a statement or in the text of an array.
    private static let texts = [
        "", "\"", "'", "\\", "{", "}", ",", "{a,\"b\\\\\"}", "NULL", "?", "$1", " x ", "ü\u{1F6D2}\n",
    ]

    /// A row of `note`. In each column but the first there are nulls, the first of them in the first row.
    private static func note(_ id: Int64) -> [SQLValue] {
        let text = texts[Int(id) % texts.count]
        let data = Data([0, 92, 0, 255, 0]).prefix(Int(id) % 6)
        return [.integer(id), id % 3 == 0 ? .null : .text(text), id % 4 == 0 ? .null : .bytes(data)]
    }

    @Test(
        "inserts, replaces, returns, joins and deletes the rows of a row set, whatever they are and however many",
        arguments: Backend.all, [0, 1, 2, 1_000, 100_000] as [Int64])
    func rowSets(backend: Backend, count: Int64) async throws {
        try await backend.withDatabase { database in
            try await Self.make(database)
            let columns = ["id", "content", "data"]
            let notes = (0..<count).map(Self.note)
            let ids = notes.map { [$0[0]] }
            try await database.write { transaction in
                // Two columns have only nulls.
                try transaction.insert(into: "note", columns, ids.map { $0 + [.null, .null] })
                try transaction.insert(into: "note", columns, notes, replacing: ["id"])
            }
            let found = try await database.read { transaction in
                try transaction.query(
                    wanted: columns, notes,
                    """
                    SELECT wanted.id, wanted.content, wanted.data, note.content, note.data
                    FROM wanted CROSS JOIN note WHERE note.id = wanted.id ORDER BY note.id
                    """)
            }
            #expect(found.map(\.values) == notes.map { $0 + $0.dropFirst() })
            let left = try await database.write { transaction in
                try transaction.execute(RowStatement(deleteFrom: "note", ["id"]), ids)
                return try transaction.query("SELECT id FROM note").count
            }
            #expect(left == 0)
        }
    }

    @Test("uses one statement for few rows and for many")
    func statementsDoNotGrow() async throws {
        try await Backend.memory.withDatabase { database in
            try await Self.make(database)
            let counting = CountingDatabase(database)
            var counts: [Int] = []
            for count in [1, 500] as [Int64] {
                counting.reset()
                try await counting.write { transaction in
                    try transaction.insert(
                        into: "note", ["id"], (0..<count).map { [.integer($0)] }, replacing: ["id"])
                    _ = try transaction.query(
                        wanted: ["id"], (0..<count).map { [.integer($0)] },
                        "SELECT note.id FROM wanted CROSS JOIN note WHERE note.id = wanted.id")
                }
                counts.append(counting.statements.count)
            }
            #expect(counts == [2, 2])
        }
    }

    @Test("fills a statement with 16,000 parameters before it uses another", arguments: [0, 1])
    func fullStatements(beyond: Int) async throws {
        try await Backend.memory.withDatabase { database in
            try await Self.make(database)
            let counting = CountingDatabase(database)
            let rows = (0..<Int64(16_000 + beyond)).map { [SQLValue.integer($0)] }
            let join = "SELECT note.id FROM wanted CROSS JOIN note WHERE note.id = wanted.id"
            try await counting.write { transaction in
                try transaction.insert(into: "note", ["id"], rows)
                _ = try transaction.query(wanted: ["id"], rows, join)
                _ = try transaction.query(wanted: ["id"], rows, join, while: { _ in true })
                // One of them is beside the rows.
                _ = try transaction.query(wanted: ["id"], rows.dropLast(), join + " AND note.id <> ?", [.integer(-1)])
            }
            #expect(counting.statements.count == 4 * (1 + beyond))
        }
    }

    @Test("stops reading at the first unwanted row", arguments: [2, 16_002])
    func rowsWhileWanted(wanted: Int64) async throws {
        try await Backend.memory.withDatabase { database in
            try await Self.make(database)
            let rows = (0..<Int64(40_000)).map { [SQLValue.integer($0)] }
            try await database.write { try $0.insert(into: "note", ["id"], rows) }
            let counting = CountingDatabase(database)
            let found = try await counting.read { transaction in
                try transaction.query(
                    wanted: ["id"], rows,
                    "SELECT note.id FROM wanted CROSS JOIN note WHERE note.id = wanted.id ORDER BY note.id"
                ) { try $0.integer(0) < wanted }
            }
            #expect(try found.map { try $0.integer(0) } == Array(0..<wanted))
            #expect(counting.statements.count == (wanted < 16_000 ? 1 : 2))
        }
    }

    @Test("does not query the database for an empty row set", arguments: Backend.all)
    func emptyRowSet(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let rows = try await database.write { transaction in
                try transaction.insert(into: "nowhere", ["id"], [])
                return try transaction.query(wanted: ["id"], [], "SELECT nothing FROM nowhere")
            }
            #expect(rows.isEmpty)
        }
    }
}
