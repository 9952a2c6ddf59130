import Foundation
import GRDB
import KithModel
import KithServer
import Testing

@Suite("The file of an open database", .timeLimit(.minutes(15))) struct FileCheckTests {
    private let folder = Folder()

    /// What can happen to the file of a server that runs.
    enum Accident: String, CaseIterable, CustomTestStringConvertible {
        case deleted, moved, replaced, logDeleted

        var testDescription: String { rawValue }

        /// Lets it happen to the database at `path`.
        func happen(to path: String) throws {
            let manager = FileManager.default
            switch self {
            case .deleted: try manager.removeItem(atPath: path)
            case .moved: try manager.moveItem(atPath: path, toPath: path + ".moved")
            case .replaced:
                try manager.copyItem(atPath: path, toPath: path + ".copy")
                try manager.removeItem(atPath: path)
                try manager.moveItem(atPath: path + ".copy", toPath: path)
            case .logDeleted: try manager.removeItem(atPath: path + "-wal")
            }
        }
    }

    @Test(
        "Trap: Edits to a file that is gone would be lost: after a check, nothing is written or answered, and nothing is made",
        arguments: Accident.allCases)
    func gone(accident: Accident) async throws {
        let database = try SQLiteDatabase(path: folder.database)
        try await database.put("kept")
        try database.checkFiles()
        try accident.happen(to: folder.database)
        let error = #expect(throws: ServerError.self) { try database.checkFiles() }
        #expect(error?.code == .busy && error?.sentence.contains("was moved or replaced") == true)
        #expect((error?.cause as? any DatabaseFailure)?.kind == .moved)
        await #expect(throws: ServerError.self) { try await database.put("lost") }
        await #expect(throws: ServerError.self) { try await database.read { try $0.query("SELECT 1").count } }
        await #expect(throws: ServerError.self) { try await database.peek { try $0.query("SELECT 1").count } }
        if accident == .deleted || accident == .moved {
            #expect(!FileManager.default.fileExists(atPath: folder.database))
        }
    }

    @Test("A file that comes back is used again when the database is opened again") func comesBack() async throws {
        do {
            let database = try SQLiteDatabase(path: folder.database)
            try await database.put("kept")
            try Accident.moved.happen(to: folder.database)
            #expect(throws: ServerError.self) { try database.checkFiles() }
            try FileManager.default.moveItem(atPath: folder.database + ".moved", toPath: folder.database)
            try database.checkFiles()
            await #expect(throws: ServerError.self) { try await database.put("lost") }
        }
        let database = try SQLiteDatabase(path: folder.database)
        #expect(try database.has("kept") && !database.has("lost"))
        try await database.put("new")
    }

    @Test(
        "Trap: A new connection for reads opens no other file, and makes none",
        arguments: [Accident.deleted, .replaced])
    func newConnection(accident: Accident) async throws {
        let database = try SQLiteDatabase(path: folder.database)
        try await database.put("kept")
        let path = folder.database
        try database.readNow { _ in
            try accident.happen(to: path)
            // The connection of the outer read is busy, so this one needs another.
            #expect(throws: ServerError.self) { try database.has("kept") }
        }
        await #expect(throws: ServerError.self) { try await database.put("lost") }
        #expect(FileManager.default.fileExists(atPath: path) == (accident == .replaced))
    }

    @Test("A path with the signs of an address is opened as it is") func strangeName() async throws {
        let path = folder.database + " 50%25 a?b#c"
        let database = try SQLiteDatabase(path: path)
        try await database.put("kept")
        #expect(try database.has("kept"))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "Trap: If the file is missing or empty where a server was, no new server begins; the error says what to do",
        arguments: [false, true])
    func missing(isEmpty: Bool) async throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        try FileManager.default.removeItem(atPath: folder.database)
        if isEmpty { try Data().write(to: URL(filePath: folder.database)) }
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: folder.database) }
        #expect(error?.code == ServerError.cannotOpen)
        #expect(error?.sentence.contains("Is its disk mounted?") == true)
        #expect(error?.sentence.contains("delete “kith.sqlite.incarnation”") == true)
        #expect(FileManager.default.fileExists(atPath: folder.database) == isEmpty)
        try FileManager.default.removeItem(atPath: folder.database + ".incarnation")
        try await SQLiteDatabase(path: folder.database).put("new")
    }

    /// Lets another program make the file.
    private func makeFile(_ sql: String) throws {
        let queue = try DatabaseQueue(path: folder.database)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("Trap: Where a server was, a file with pages and without tables is as good as none: no new server begins")
    func withoutTables() throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        try FileManager.default.removeItem(atPath: folder.database)
        try makeFile("CREATE TABLE book (name TEXT); DROP TABLE book")
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: folder.database) }
        #expect(error?.code == ServerError.cannotOpen)
        #expect(error?.sentence.contains("Is its disk mounted?") == true)
        try FileManager.default.removeItem(atPath: folder.database + ".incarnation")
        _ = try SQLiteDatabase(path: folder.database)
    }

    @Test(
        "Trap: SQLite can read the file or its log, and not write it – the error names which, and nothing is left beside it",
        arguments: ["", "-wal", "-shm"])
    func unwritable(suffix: String) throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        let file = folder.database + suffix
        if suffix.isEmpty {
            // Root can write to each file.
            guard geteuid() != 0 else { return }
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file)
        } else {
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        }
        for open in [{ try SQLiteDatabase(path: $0) }, { try SQLiteDatabase(besideServer: $0) }]
            as [(String) throws -> SQLiteDatabase]
        {
            let error = #expect(throws: ServerError.self) { try open(folder.database) }
            #expect(error?.code == ServerError.cannotOpen)
            #expect(error?.sentence.contains("kith.sqlite\(suffix) cannot be opened for writing.") == true)
        }
        for other in ["-wal", "-shm"] where other != suffix {
            #expect(!FileManager.default.fileExists(atPath: folder.database + other))
        }
        if suffix.isEmpty {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
        _ = try SQLiteDatabase(path: folder.database)
    }

    @Test("The database of another program gets no tables of a server", arguments: ["book", "meta"])
    func foreign(table: String) throws {
        try makeFile("CREATE TABLE \(table) (title TEXT)")
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: folder.database) }
        #expect(error?.code == ServerError.cannotOpen)
        #expect(error?.sentence.contains("is the database of another program.") == true)
        let command = #expect(throws: ServerError.self) { try SQLiteDatabase(besideServer: folder.database) }
        #expect(command?.code == ServerError.cannotOpen)
        #expect(command?.sentence.contains("is not the database of a server.") == true)
        let tables = try DatabaseQueue(path: folder.database).read { database in
            try String.fetchAll(database, sql: "SELECT name FROM sqlite_master")
        }
        #expect(tables == [table])
    }

    @Test(
        "Trap: A command opens an empty file, and the next start would take it for a new database – it writes nothing",
        arguments: [false, true])
    func command(hasIncarnation: Bool) throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        try Data().write(to: URL(filePath: folder.database))
        if !hasIncarnation { try FileManager.default.removeItem(atPath: folder.database + ".incarnation") }
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(besideServer: folder.database) }
        #expect(error?.code == ServerError.cannotOpen)
        #expect(error?.sentence.contains(hasIncarnation ? "Is its disk mounted?" : "is empty, or not a file.") == true)
        #expect(try FileStatus(at: folder.database).size == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
        let device = #expect(throws: ServerError.self) { try SQLiteDatabase(besideServer: "/dev/null") }
        #expect(device?.sentence.contains("is empty, or not a file.") == true)
    }
}
