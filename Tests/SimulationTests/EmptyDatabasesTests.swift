import GRDB
import Simulation
import Testing

@Suite("Databases of earlier worlds") struct EmptyDatabasesTests {
    private let databases = EmptyDatabases { queue in
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
                    CREATE TABLE pet (owner INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE, name TEXT NOT NULL);
                    INSERT INTO person (name) VALUES ('Ada');
                    """)
        }
    }

    @Test("The next world finds the rows and numbers of a new database")
    func renewed() throws {
        let first = try databases.take()
        try add("Grace", to: first)
        databases.giveBack(first)
        let next = try databases.take()
        #expect(next === first)
        #expect(try people(in: next) == ["1 Ada"])
        #expect(try next.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM pet") } == 0)
        try add("Joan", to: next)
        #expect(try people(in: next) == ["1 Ada", "2 Joan"])
    }

    @Test("A copy has the rows of its original, and is another database")
    func copied() throws {
        let original = try databases.take()
        try add("Grace", to: original)
        let copy = try databases.copy(of: original)
        try add("Joan", to: copy)
        #expect(try people(in: copy) == ["1 Ada", "2 Grace", "3 Joan"])
        #expect(try people(in: original) == ["1 Ada", "2 Grace"])
    }

    @Test("A database whose tables were changed is not used again, and neither is its copy")
    func changed() throws {
        let original = try databases.take()
        try original.write { try $0.execute(sql: "CREATE TABLE toy (name TEXT); INSERT INTO toy VALUES ('ball')") }
        let copy = try databases.copy(of: original)
        #expect(try copy.read { try String.fetchAll($0, sql: "SELECT name FROM toy") } == ["ball"])
        databases.giveBack(original)
        databases.giveBack(copy)
        for _ in 1...2 { #expect(try databases.take().read { try !$0.tableExists("toy") }) }
    }

    /// Adds a person, and their pet.
    private func add(_ name: String, to queue: DatabaseQueue) throws {
        try queue.write { db in
            try db.execute(sql: "INSERT INTO person (name) VALUES (?)", arguments: [name])
            try db.execute(sql: "INSERT INTO pet VALUES (?, 'Rex')", arguments: [db.lastInsertedRowID])
        }
    }

    /// The people, with their numbers.
    private func people(in queue: DatabaseQueue) throws -> [String] {
        try queue.read { try String.fetchAll($0, sql: "SELECT id || ' ' || name FROM person ORDER BY id") }
    }
}
