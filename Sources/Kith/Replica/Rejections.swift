import Foundation
import GRDB
import KithModel

/// The edits of an account that the server refused.
struct Rejections {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private var db: Database { store.db }
    private var account: StoreKey { store.key }

    /// Stores a refused mutation. A mutation that is already stored, because it was resent and refused again, stays
    /// unchanged.
    func add(
        _ mutation: StoredMutation, _ code: RejectionCode, _ sentence: String, _ names: RecordNames, at now: Timestamp
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO rejection (account, id, code, sentence, feed, collection, record, change, date, listName, title)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """
        ).execute(
            arguments: [
                account, mutation.id, code.rawValue, sentence, mutation.key.feed.id, mutation.key.collection.rawValue,
                mutation.key.id, StoredJSON.text(mutation.change), now.milliseconds, names.listName, names.title,
            ])
    }

    /// The rejections that are not dismissed, oldest first, with the current state of their records.
    func all(in collections: ReplicaCollections) throws -> [Rejection] {
        try DirectStatement(
            "SELECT \(Rejection.columns) FROM rejection WHERE account = ? AND NOT isDismissed ORDER BY date, id", db
        ).all(account) { columns in
            try Rejection(columns, collections) { try collections.table(of: $0.collection)?.record(at: $0, in: store) }
        }
    }

    func count() throws -> Int {
        try DirectStatement("SELECT count(*) FROM rejection WHERE account = ? AND NOT isDismissed", db)
            .first(account) { Int($0.integer(0)) } ?? 0
    }

    /// Dismisses one rejection; all if `id` is nil.
    func dismiss(_ id: MutationID?) throws {
        try db.execute(
            sql: "UPDATE rejection SET isDismissed = 1 WHERE account = ? AND (? IS NULL OR id = ?)",
            arguments: [account, id, id])
    }
}

extension Store {
    /// The edits of the store that the server refused.
    var rejections: Rejections { Rejections(self) }
}
