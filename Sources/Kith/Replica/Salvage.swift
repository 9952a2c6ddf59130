import Foundation
import GRDB
import KithModel

/// Saves what can be read of a damaged replica.
enum Salvage {
    /// Copies the accounts, the unsent mutations, the rejections and what else no server has of a damaged file, as far as
    /// they can be read.
    /// Mutations in flight keep their numbers if all of them can be read. Otherwise the account takes a new device
    /// identity, as a copied replica does, and the additions in flight become rejections.
    static func copy(
        from broken: URL, into database: any DatabaseWriter, _ dependencies: Dependencies
    ) throws {
        try DatabaseFile.reading(damaged: broken) { damaged in
            let device: DeviceID = dependencies.makeID()
            let salvaged = SalvagedRows(of: damaged, dependencies.collections)
            try database.write { db in
                let home = try restore(salvaged.accounts, device: device, db)
                insert(salvaged, in: home, db)
                for account in try ReplicaAccount.all(db) {
                    try settle(account, dependencies, db)
                }
            }
        }
    }

    /// Inserts the accounts, and makes one of them the current one.
    ///
    /// - Returns: The store for all other rows, if their accounts cannot be read; nil if each row keeps its account.
    private static func restore(_ accounts: [Row], device: DeviceID, _ db: Database) throws -> StoreKey? {
        var home: StoreKey?
        if accounts.isEmpty {
            // The mutations' account cannot be read, so they wait in the userless store.
            home = try ReplicaAccount.current(db).key
        } else {
            try db.execute(sql: "DELETE FROM account")
            for account in accounts {
                DatabaseFile.insert(account, into: "account", setting: ["token": nil, "completed": nil], db)
            }
        }
        // If the current account could not be read, the first account becomes the current one; without any account,
        // the userless store.
        if try !db.exists("SELECT 1 FROM account WHERE isCurrent") {
            try db.execute(sql: "UPDATE account SET isCurrent = (key = (SELECT min(key) FROM account))")
        }
        if try !db.exists("SELECT 1 FROM account") {
            home = try ReplicaAccount.insert(id: nil, state: .initial, device: device, db).key
            try db.execute(sql: "UPDATE account SET isCurrent = 1")
        }
        return home
    }

    /// Inserts the rows of all tables except the accounts. `home` is the store of all of them; nil if each keeps its
    /// account.
    private static func insert(_ salvaged: SalvagedRows, in home: StoreKey?, _ db: Database) {
        func place(
            _ rows: [Row], into table: String, setting values: [String: (any DatabaseValueConvertible)?] = [:]
        ) {
            var values = values
            if let home { values["account"] = home }
            for row in rows { DatabaseFile.insert(row, into: table, setting: values, db) }
        }
        place(salvaged.mutations, into: "mutation", setting: home == nil ? [:] : ["number": nil])
        place(salvaged.rejections, into: "rejection")
        for (table, rows) in salvaged.others { place(rows, into: table) }
    }

    /// Keeps the numbers of salvaged mutations or gives the account a new device identity. Then writes the records of
    /// the mutations.
    private static func settle(_ account: ReplicaAccount, _ dependencies: Dependencies, _ db: Database) throws {
        let collections = dependencies.collections
        var account = account
        let store = Store(db, account)
        let outbox = store.outbox
        var unsent = try outbox.unsent()
        if Int64(unsent.filter { $0.number != nil }.count) != account.sent - account.acknowledged.number {
            // The server may have taken them, with those that cannot be read. Under new numbers they would count twice.
            for mutation in unsent.additions(where: { $0.number != nil }) {
                let names = try RecordNames(of: mutation.key, collections) {
                    try collections.table(of: $0.collection)?.record(at: $0, in: store)
                }
                try store.rejections.add(
                    mutation, .repeated, "This may have counted already. The file was damaged while it was being sent.",
                    mutation.names.filled(from: names), at: dependencies.now())
            }
            // Each account gets its own: a round tells the accounts of a replica apart by their devices.
            account.takeNewDevice(dependencies.makeID())
            try outbox.renumber()
            try account.save(db)
            unsent = try outbox.unsent()
        }
        for (key, mutations) in Dictionary(grouping: unsent, by: \.key) {
            let table = collections.table(of: key.collection)
            let base = try table?.record(at: key, in: store)
            guard let record = PendingState.record(base: base, unsent: mutations, by: collections[key.collection])
            else { continue }
            try table?.save(record, at: key, in: store)
        }
    }
}
