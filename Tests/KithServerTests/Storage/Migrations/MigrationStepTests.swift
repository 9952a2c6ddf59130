import KithModel
import KithServer
import Synchronization
import Testing

@Suite("A step of the migrations") struct MigrationStepTests {
    private let folder = Folder()
    private static let colour = "ALTER TABLE feed ADD COLUMN colour TEXT"

    private func version(_ database: SQLiteDatabase) throws -> [String] {
        try database.readNow { transaction in
            try transaction.query("SELECT value FROM meta WHERE name IN ('oldest', 'version') ORDER BY name")
                .map { try $0.text(0) }
        }
    }

    @Test("Law 12: If a newer program has only added to a database, this program goes on with it") func adding() throws
    {
        let known = Migrations().steps(.sqlite).count
        let newer = Migrations(further: [.adding([Self.colour])])
        let versions = try version(SQLiteDatabase(path: folder.database, migrations: newer))
        #expect(versions.last == String(known + 1) && versions.first != versions.last)
        let database = try SQLiteDatabase(path: folder.database)
        _ = try SessionService(database: database, signals: .none).openNow(at: HandClock.start, on: database)
        #expect(try version(database) == versions, "It does not take the step back.")
        _ = try SQLiteDatabase(besideServer: folder.database)
        #expect(try version(SQLiteDatabase(path: folder.database, migrations: newer)) == versions, "Once is enough.")
    }

    @Test("An upgrade is announced before it begins, and nothing else is") func announced() throws {
        let announced = Mutex<[[Int]]>([])
        let known = Migrations().steps(.sqlite).count
        let newer = Migrations(
            further: [.adding([Self.colour])],
            whenUpgrading: { from, to in announced.withLock { $0.append([from, to]) } })
        _ = try SQLiteDatabase(path: folder.database + ".new", migrations: newer)
        #expect(announced.withLock(\.self).isEmpty, "It is created, not upgraded.")
        _ = try SQLiteDatabase(path: folder.database)
        for _ in 0..<2 { _ = try SQLiteDatabase(path: folder.database, migrations: newer) }
        #expect(announced.withLock(\.self) == [[known, known + 1]])
    }

    @Test("Law 12: If a newer program has replaced something, this program leaves the database alone, and says why")
    func replacing() throws {
        let known = Migrations().steps(.sqlite).count
        let newer = Migrations(further: [.replacing([Self.colour]), .adding(["CREATE TABLE later (id BIGINT)"])])
        let versions = try version(SQLiteDatabase(path: folder.database, migrations: newer))
        #expect(versions == [String(known + 1), String(known + 2)])
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: folder.database) }
        #expect(
            error?.sentence
                == "The database is of version \(known + 2), and programs that know less than version \(known + 1) may "
                + "not use it. This program knows \(known). Use the newer program, or restore a backup.")
        let command = #expect(throws: ServerError.self) { try SQLiteDatabase(besideServer: folder.database) }
        #expect(command?.code == ServerError.cannotOpen && command?.sentence == error?.sentence)
        #expect(try version(SQLiteDatabase(path: folder.database, migrations: newer)) == versions)
    }

    @Test("An adding step of this program has only statements that keep the meaning of older ones")
    func addingSteps() {
        for dialect in [Dialect.sqlite, .postgres] {
            for step in Migrations().steps(dialect) { #expect(step.unfitStatements.isEmpty) }
        }
    }

    @Test(
        "Statements that can break an older program do not fit into an adding step",
        arguments: [
            "DROP TABLE gift", "ALTER TABLE record DROP COLUMN stamps", "ALTER TABLE record RENAME COLUMN id TO key",
            "ALTER TABLE feed ADD COLUMN colour TEXT NOT NULL", "ALTER TABLE feed ADD COLUMN colour TEXT UNIQUE",
            "CREATE UNIQUE INDEX feed_kind ON feed (kind)", "UPDATE record SET fields = '{}'",
            "INSERT INTO record SELECT * FROM tombstone", "alter table\n feed drop column kind",
            "ALTER TABLE feed ADD COLUMN colour TEXT, DROP COLUMN kind",
            "ALTER TABLE feed ADD COLUMN size BIGINT DEFAULT 0, ADD COLUMN colour TEXT NOT NULL",
            "ALTER TABLE feed ADD COLUMN colour TEXT CHECK (kind <> 'list')",
            "ALTER TABLE record ADD COLUMN page BIGINT REFERENCES page (id)",
        ])
    func unfit(statement: String) {
        #expect(MigrationStep.adding([statement]).unfitStatements == [statement])
        #expect(MigrationStep.replacing([statement]).unfitStatements.isEmpty)
    }

    @Test(
        "Statements that only add fit",
        arguments: [
            "CREATE TABLE later (id BIGINT NOT NULL PRIMARY KEY)", "CREATE UNLOGGED TABLE later (id BIGINT)",
            "CREATE INDEX feed_kind ON feed (kind)", "ALTER TABLE feed ADD COLUMN colour TEXT",
            "ALTER TABLE feed\n    ADD COLUMN size BIGINT NOT NULL DEFAULT 0",
        ])
    func fit(statement: String) {
        #expect(MigrationStep.adding([statement]).unfitStatements.isEmpty)
    }

    @Test("A clearing step only updates and deletes rows, and older programs go on after it") func clearing() {
        let statements = ["UPDATE session SET device = NULL", "delete from visit", "DROP TABLE gift"]
        let step = MigrationStep.clearing(statements)
        #expect(step.keepsOlderPrograms && step.unfitStatements == ["DROP TABLE gift"])
    }

    @Test("An older node has ended when its row is gone, or its heartbeats have stopped for long enough")
    func olderNodes() {
        var nodes = OlderNodes(silence: .seconds(30))
        #expect(OlderNodes.silence == .seconds(30))
        var answers = [nodes.haveEnded(["a": 1, "b": 7], at: .seconds(0))]
        answers.append(nodes.haveEnded(["a": 2, "b": 7], at: .seconds(20)))
        // One has been silent for 30 seconds, the other for 10.
        answers.append(nodes.haveEnded(["a": 2, "b": 7], at: .seconds(30)))
        // One has removed its row.
        answers.append(nodes.haveEnded(["b": 7], at: .seconds(31)))
        #expect(answers == [false, false, false, true])
        // One that was frozen wakes up.
        var isOver = nodes.haveEnded(["b": 8], at: .seconds(40))
        #expect(!isOver)
        isOver = nodes.haveEnded([:], at: .seconds(41))
        #expect(isOver)
    }
}
