import Foundation
import GRDB
import KithModel

extension Replica {
    /// What every start reads.
    static let tables = ["account", "mutation", "feed", "list"]

    /// Copies the accounts, the unsent mutations and the rejections of a damaged file, as far as they can be read.
    ///
    /// The numbers of what was in flight are kept if all of it is there; if not,
    /// the replica takes a new device identity, as a copy does.
    static func salvage(from broken: URL, into database: any DatabaseWriter, device: DeviceID) throws {
        var readonly = Configuration()
        readonly.readonly = true
        guard let damaged = try? DatabaseQueue(path: broken.path, configuration: readonly) else { return }
        let accounts = DatabaseFile.rows(of: "account", in: damaged)
        var mutations: [Row] = []
        try? damaged.read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM mutation WHERE taken IS NULL ORDER BY ordinal")
            while let row = try rows.next() { mutations.append(row.copy()) }
        }
        let rejections = DatabaseFile.rows(of: "rejection", in: damaged)
        // So that what is salvaged shows in its place at once. The next round reads all of it anew.
        var places = ["list", "membership", "profile", "contact"].map { ($0, DatabaseFile.rows(of: $0, in: damaged)) }
        places.append(("endedSession", DatabaseFile.rows(of: "endedSession", in: damaged)))
        // Pictures of mine that wait to be sent are nowhere else.
        var pictures: [Row] = []
        DatabaseFile.forEachRow(of: "picture", in: damaged) { if $0["isUnsent"] == true { pictures.append($0.copy()) } }
        places.append(("picture", pictures))
        try database.write { db in
            var home: Int64?
            if accounts.isEmpty {
                // Whose they were cannot be read: they wait in the userless store.
                home = try ReplicaAccount.current(db).key
            } else {
                try db.execute(sql: "DELETE FROM account")
                for account in accounts {
                    DatabaseFile.insert(account, into: "account", setting: ["token": nil, "completed": nil], db)
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
                for row in rows { DatabaseFile.insert(row, into: table, setting: values, db) }
            }
            place(mutations, into: "mutation", setting: home == nil ? [:] : ["number": nil])
            place(rejections, into: "rejection")
            for (table, rows) in places { place(rows, into: table) }
            for account in try ReplicaAccount.all(db) { try settle(account, device: device, db) }
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
            let table = RecordTable.of(key.collection)
            let base = try table?.record(db, account.key, key)
            guard let record = PendingState.record(base: base, unsent: mutations, of: key) else { continue }
            try table?.save(record, db, account.key, key)
        }
    }
}
