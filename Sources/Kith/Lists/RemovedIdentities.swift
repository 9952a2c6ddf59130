import GRDB
import KithModel

/// The app-chosen identities of deleted lists and items. They are stored as long as the server keeps tombstones, so
/// that an import does not bring removed records back.
struct RemovedIdentities {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private var db: Database { store.db }
    private var account: StoreKey { store.key }

    func note(_ key: RecordKey, at now: Timestamp) throws {
        guard [.lists, .items].contains(key.collection), key.id.isChosen else { return }
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO removedIdentity (account, list, id, date) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [account, key.list, key.id, now.milliseconds])
    }

    func contains(_ key: RecordKey) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM removedIdentity WHERE account = ? AND list = ? AND id = ?", [account, key.list, key.id])
    }

    /// Deletes the entries that are older than ``Limits/tombstones``.
    func purge(at now: Timestamp) throws {
        try db.cachedStatement(sql: "DELETE FROM removedIdentity WHERE account = ? AND date < ?")
            .execute(arguments: [account, (now - Limits.tombstones).milliseconds])
    }
}

extension Changes {
    /// Whether a record or a tombstone has an identity that the app has chosen.
    enum ChosenPlace {
        case free, used, removed
    }

    /// - Throws: ``KithError`` with `invalid` if no list or item can have this identity.
    func place(of key: RecordKey) throws -> ChosenPlace {
        if let record = try transaction.record(key) { return record.isRemoved ? .removed : .used }
        let isForeign =
            try key.id.uuid.halves == (0, 0) || key.id.uuid == transaction.account.id?.uuid
            || (key.collection == .items && key.id.uuid == key.list.uuid)
            || (key.collection == .items && transaction.record(.member(key.id.retyped(), of: key.list)) != nil)
        if isForeign {
            throw KithError(
                .invalid, "\(key.id) cannot be the identity of a new \(key.collection): it stands for something else.",
                field: "id")
        }
        return try RemovedIdentities(transaction.store).contains(key)
            ? .removed : .free
    }
}

extension KithError {
    static func removed(_ key: RecordKey) -> KithError {
        KithError(
            .removed,
            "The \(key.collection) \(key.id) was removed, and what is removed does not come back under its identity. "
                + "Leave it out, or add it under another one.")
    }
}

extension RecordID {
    /// Whether an app chose the identity. Identities that Kith makes are UUIDs of version 7.
    fileprivate var isChosen: Bool { uuid.halves.high >> 12 & 0xF != 7 }
}
