package import Foundation
package import GRDB

/// A database's file on disk, and what is done when it cannot be read.
package struct DatabaseFile {
    let url: URL
    /// What every start needs, and so looks at before anything is written.
    let tables: [String]

    package init(url: URL, tables: [String]) { (self.url, self.tables) = (url, tables) }

    /// Opens the file, or a new one in its place.
    ///
    /// - Returns: The database, and where a damaged file was moved: what can be read of it is to be copied, then ``noteSalvaged()``.
    package func open(configuration: Configuration) throws -> (any DatabaseWriter, URL?) {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        do {
            if FileManager.default.fileExists(atPath: marker.path) {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "It was found damaged before.")
            }
            return (try check(pool(configuration)), nil)
        } catch let error as DatabaseError where Self.damage.contains(error.resultCode) {
            let aside = try moveAside()
            return (try pool(configuration), aside)
        } catch let error as DatabaseError {
            throw KithError(error)
        }
    }

    private func pool(_ configuration: Configuration) throws -> DatabasePool {
        // Whoever shares the machine need not read it. SQLite gives its other files the same rights.
        if !FileManager.default.fileExists(atPath: url.path) {
            _ = FileManager.default.createFile(
                atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let pool = try DatabasePool(path: url.path, configuration: configuration)
        // An edit that a getter has shown must survive a power cut. Opening a pool sets NORMAL, whatever the
        // configuration says.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }

    /// Left behind when damage shows while the database is in use, for the next start to act on; from then on it says
    /// where the damaged file was moved, until all that could be read of it is safe in the new one.
    private var marker: URL { URL(fileURLWithPath: url.path + ".damaged") }

    package func markDamaged() {
        _ = FileManager.default.createFile(atPath: marker.path, contents: nil)
    }

    package func noteSalvaged() {
        try? FileManager.default.removeItem(at: marker)
    }

    private static let damage: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_NOTADB]

    private func check(_ pool: DatabasePool) throws -> DatabasePool {
        try pool.read { db in
            for table in tables where try db.tableExists(table) {
                _ = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)").next()
            }
        }
        return pool
    }

    /// Moves the damaged file away, the database itself last. Goes on where a start that was killed broke off.
    private func moveAside() throws -> URL {
        let manager = FileManager.default
        let begun = (try? String(contentsOf: marker, encoding: .utf8)) ?? ""
        let aside = begun.isEmpty ? freePlace() : url.deletingLastPathComponent().appendingPathComponent(begun)
        try Data(aside.lastPathComponent.utf8).write(to: marker, options: .atomic)
        for suffix in ["-wal", "-shm", ""] where manager.fileExists(atPath: url.path + suffix) {
            let file = URL(fileURLWithPath: url.path + suffix)
            if manager.fileExists(atPath: aside.path) {
                // A new file that nobody has used yet.
                try manager.removeItem(at: file)
            } else {
                try manager.moveItem(at: file, to: URL(fileURLWithPath: aside.path + suffix))
            }
        }
        return aside
    }

    private func freePlace() -> URL {
        var number = 1
        func place() -> URL { URL(fileURLWithPath: "\(url.path).broken-\(number)") }
        while FileManager.default.fileExists(atPath: place().path) { number += 1 }
        return place()
    }

    /// Reads a table of a damaged file, as far as it can be read.
    static func rows(of table: String, in damaged: DatabaseQueue) -> [Row] {
        var rows: [Row] = []
        forEachRow(of: table, in: damaged) { rows.append($0.copy()) }
        return rows
    }

    /// Calls `body` with each row of a table of a damaged file, until one cannot be read.
    package static func forEachRow(of table: String, in damaged: DatabaseQueue, _ body: (Row) -> Void) {
        try? damaged.read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)")
            while let row = try rows.next() { body(row) }
        }
    }

    /// Copies one row; one that is garbage is left out, and stops no other.
    package static func insert(
        _ row: Row, into table: String, setting values: [String: (any DatabaseValueConvertible)?] = [:], _ db: Database
    ) {
        let columns = row.columnNames.map(\.self)
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        try? db.inSavepoint {
            try db.execute(
                sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
                arguments: StatementArguments(
                    columns.map { column in
                        values[column].map { $0?.databaseValue ?? .null } ?? row[column] as DatabaseValue
                    }))
            return .commit
        }
    }
}
