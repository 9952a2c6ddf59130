import Foundation
import GRDB
import KithModel

/// The replica's file on disk, and what is done when it cannot be read.
struct ReplicaFile {
    let url: URL

    /// Opens the file, or a new one in its place.
    ///
    /// - Returns: The database, and where a damaged file was moved: it is to be ``salvage``d, and ``noteSalvaged()``.
    func open(configuration: Configuration) throws -> (any DatabaseWriter, URL?) {
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
        // Whoever shares the machine need not read the lists. SQLite gives its other files the same rights.
        if !FileManager.default.fileExists(atPath: url.path) {
            _ = FileManager.default.createFile(
                atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let pool = try DatabasePool(path: url.path, configuration: configuration)
        // Opening a pool sets NORMAL, whatever the configuration says: a power cut could take back what was shown.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }

    /// Left behind when damage shows while the replica is in use, for the next start to act on; from then on it says
    /// where the damaged file was moved, until all that could be read of it is safe in the new one.
    private var marker: URL { URL(fileURLWithPath: url.path + ".damaged") }

    func markDamaged() {
        _ = FileManager.default.createFile(atPath: marker.path, contents: nil)
    }

    func noteSalvaged() {
        try? FileManager.default.removeItem(at: marker)
    }

    private static let damage: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_NOTADB]

    /// Reads what every start needs, so that damage shows before anything is written.
    private func check(_ pool: DatabasePool) throws -> DatabasePool {
        try pool.read { db in
            for table in ["account", "mutation", "feed", "list"] where try db.tableExists(table) {
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

    /// Copies the accounts, the unsent mutations and the rejections of a damaged file, as far as they can be read.
    ///
    /// The numbers of what was in flight are kept if all of it is there; if not,
    /// the replica takes a new device identity, as a copy does.
    static func salvage(from broken: URL, into database: any DatabaseWriter, device: DeviceID) throws {
        var readonly = Configuration()
        readonly.readonly = true
        guard let damaged = try? DatabaseQueue(path: broken.path, configuration: readonly) else { return }
        func rows(of table: String) -> [Row] {
            (try? damaged.read { try Row.fetchAll($0, sql: "SELECT * FROM \(table)") }) ?? []
        }
        let accounts = rows(of: "account")
        var mutations: [Row] = []
        try? damaged.read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM mutation WHERE taken IS NULL ORDER BY ordinal")
            while let row = try rows.next() { mutations.append(row.copy()) }
        }
        let rejections = rows(of: "rejection")
        // So that what is salvaged shows in its list at once. The next round reads all of it anew.
        let lists = [("list", rows(of: "list")), ("membership", rows(of: "membership"))]
        try database.write { db in
            var home: Int64?
            if accounts.isEmpty {
                // Whose they were cannot be read: they wait in the userless store.
                home = try ReplicaAccount.current(db).key
            } else {
                try db.execute(sql: "DELETE FROM account")
                for account in accounts {
                    insert(account, into: "account", setting: ["token": nil, "completed": nil], db)
                }
            }
            // One that was current and could not be read leaves the first, or the userless store.
            if try !Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE isCurrent)")! {
                try db.execute(sql: "UPDATE account SET isCurrent = (key = (SELECT min(key) FROM account))")
            }
            if try !Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account)")! {
                home = try ReplicaAccount.insert(id: nil, state: .initial, device: device, db).key
                try db.execute(sql: "UPDATE account SET isCurrent = 1")
            }
            func place(
                _ rows: [Row], into table: String, setting values: [String: (any DatabaseValueConvertible)?] = [:]
            ) {
                var values = values
                if let home { values["account"] = home }
                for row in rows { insert(row, into: table, setting: values, db) }
            }
            place(mutations, into: "mutation", setting: home == nil ? [:] : ["number": nil])
            place(rejections, into: "rejection")
            for (table, rows) in lists { place(rows, into: table) }
            for row in try Row.fetchAll(db, sql: "SELECT * FROM account") {
                try settle(ReplicaAccount(row), device: device, db)
            }
        }
    }

    /// Gives salvaged mutations their numbers, or the account a new device identity, and lays their records down.
    private static func settle(_ account: ReplicaAccount, device: DeviceID, _ db: Database) throws {
        var account = account
        let outbox = Outbox(db: db, account: account.key)
        let unsent = try outbox.unsent()
        if Int64(unsent.filter { $0.number != nil }.count) != account.sent - account.acknowledged.number {
            account.takeNewDevice(device)
            try outbox.renumber()
            try account.save(db)
        }
        for (key, mutations) in Dictionary(grouping: unsent, by: \.key) {
            guard let record = Foresight.record(base: nil, unsent: mutations, of: key) else { continue }
            try RecordTable.of(key.collection)?.save(record, db, account.key, key)
        }
    }

    /// Copies one row; one that is garbage is left out, and stops no other.
    private static func insert(
        _ row: Row, into table: String, setting values: [String: (any DatabaseValueConvertible)?], _ db: Database
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
