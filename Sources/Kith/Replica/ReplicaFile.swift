import Foundation
import GRDB
import KithModel

/// The replica's file on disk, and what is done when it cannot be read.
struct ReplicaFile {
    let url: URL

    /// Opens the file, or a new one in its place.
    ///
    /// - Returns: The database, and where a damaged file was moved.
    func open(configuration: Configuration) throws -> (any DatabaseWriter, URL?) {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        do {
            if FileManager.default.fileExists(atPath: marker.path) {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "It was found damaged before.")
            }
            return (try check(DatabasePool(path: url.path, configuration: configuration)), nil)
        } catch let error as DatabaseError where Self.damage.contains(error.resultCode) {
            let aside = try moveAside()
            return (try DatabasePool(path: url.path, configuration: configuration), aside)
        } catch let error as DatabaseError {
            throw KithError(error)
        }
    }

    /// Left behind when damage shows while the replica is in use, for the next start to act on.
    private var marker: URL { URL(fileURLWithPath: url.path + ".damaged") }

    func markDamaged() {
        _ = FileManager.default.createFile(atPath: marker.path, contents: nil)
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

    private func moveAside() throws -> URL {
        let manager = FileManager.default
        var number = 1
        func aside(_ suffix: String) -> URL { URL(fileURLWithPath: "\(url.path).broken-\(number)\(suffix)") }
        while manager.fileExists(atPath: aside("").path) { number += 1 }
        for suffix in ["", "-wal", "-shm"] where manager.fileExists(atPath: url.path + suffix) {
            try manager.moveItem(at: URL(fileURLWithPath: url.path + suffix), to: aside(suffix))
        }
        try? manager.removeItem(at: marker)
        return aside("")
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
        guard !accounts.isEmpty else { return }
        var mutations: [Row] = []
        try? damaged.read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM mutation WHERE taken IS NULL ORDER BY ordinal")
            while let row = try rows.next() { mutations.append(row.copy()) }
        }
        let rejections = rows(of: "rejection")
        // So that what is salvaged shows in its list at once. The next round reads all of it anew.
        let lists = [("list", rows(of: "list")), ("membership", rows(of: "membership"))]
        try database.write { db in
            try db.execute(sql: "DELETE FROM account")
            for account in accounts { try insert(account, into: "account", resetting: ["token", "completed"], db) }
            for mutation in mutations { try insert(mutation, into: "mutation", resetting: [], db) }
            for rejection in rejections { try insert(rejection, into: "rejection", resetting: [], db) }
            for (table, rows) in lists {
                for row in rows { try insert(row, into: table, resetting: [], db) }
            }
            for account in accounts {
                var account = ReplicaAccount(account)
                account.token = nil
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
        }
    }

    private static func insert(_ row: Row, into table: String, resetting: Set<String>, _ db: Database) throws {
        let columns = row.columnNames.filter { !resetting.contains($0) }
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        try db.execute(
            sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
            arguments: StatementArguments(columns.map { row[$0] as DatabaseValue }))
    }
}
