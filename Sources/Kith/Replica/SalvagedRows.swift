import GRDB
import KithModel

/// The rows that can be read of a damaged replica.
struct SalvagedRows {
    let accounts: [Row]
    /// The mutations that the server has not acknowledged, oldest first.
    let mutations: [Row]
    let rejections: [Row]
    /// The rows of other tables.
    let others: [(table: String, rows: [Row])]

    init(of damaged: DatabaseQueue, _ collections: ReplicaCollections) {
        accounts = DatabaseFile.rows(of: "account", in: damaged)
        var mutations: [Row] = []
        try? damaged.read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM mutation WHERE taken IS NULL ORDER BY ordinal")
            while let row = try rows.next() { mutations.append(row.copy()) }
        }
        self.mutations = mutations
        rejections = DatabaseFile.rows(of: "rejection", in: damaged)
        // Without these records, salvaged edits would not be visible. The next round rereads all of them.
        let records = collections.all.filter { $0.schema.home == .account || $0.schema.createsFeed }
            .map { RecordTable($0.schema).name }
        let onlyHere = ["endedSession", "removal", "removedIdentity"]
        var others = (records + onlyHere).map { (table: $0, rows: DatabaseFile.rows(of: $0, in: damaged)) }
        // What was not sent exists only in this file.
        for table in collections.all.flatMap({ $0.unsentTables }) {
            var unsent: [Row] = []
            DatabaseFile.forEachRow(of: table, in: damaged) { if $0["isUnsent"] == true { unsent.append($0.copy()) } }
            others.append((table: table, rows: unsent))
        }
        self.others = others
    }
}
