public import Foundation
import GRDB
import KithModel

/// The last removal, stored in the replica for an undo after a restart.
///
/// Each account stores its own. A later removal replaces it, and an undo deletes it.
public struct KeptRemoval: Sendable {
    /// What was removed.
    public let removal: Removal
    /// When it was removed.
    public let date: Date

    /// How long a removal can be undone after it was made.
    public static let time = StoredAccount.removalTime
}

extension Lists {
    /// The last removal, if the client keeps it and it has not been undone: see ``KithConfiguration/keepsLastRemoval``.
    ///
    /// Reads the store of the current account, or the store of `scope`.
    public func lastRemoval(within scope: AccountScope? = nil) async throws -> KeptRemoval? {
        try await client.replica.read(within: scope) { try KeptRemoval.fetch(in: $0.store) } ?? nil
    }

    /// Restores the last removal, and deletes the stored one.
    ///
    /// Records that were sent come back as copies: see ``Changes/undo(_:)``.
    ///
    /// - Throws: ``KithError`` with `notFound` if no removal is kept, `tooLate` if it is older than
    ///   ``KeptRemoval/time`` or the items' list is gone, `forbidden` if I may no longer edit the list.
    @discardableResult
    public func undoLastRemoval() async throws -> Restoration {
        try await client.transact { transaction in
            guard let kept = try KeptRemoval.fetch(in: transaction.store) else {
                throw KithError(.notFound, "There is nothing to undo: no removal is kept in this account.")
            }
            if Timestamp(kept.date) < transaction.now - KeptRemoval.time {
                throw KithError(
                    .tooLate,
                    "It is too late to undo the last removal: it was more than \(KeptRemoval.time.words) ago.")
            }
            do {
                return try Changes(transaction, isGroup: false).undo(kept.removal)
            } catch KithError.Code.notFound {
                throw KithError(.tooLate, "It is too late to undo the last removal: the list of these items is gone.")
            }
        }
    }
}

extension Changes {
    /// Adds a removal to those that ``saveKept()`` stores, if the client keeps removals.
    func keep(_ removal: Removal) {
        if transaction.keepsLastRemoval { kept.append(contentsOf: removal.records) }
    }

    /// Takes restored records out of the removal that is kept, so that it does not restore them a second time.
    func forgetKept(_ restored: Set<RecordKey>) throws {
        kept.removeAll { restored.contains($0.key) }
        try KeptRemoval.forget(restored, in: transaction.store)
    }

    /// Stores everything that this transaction has removed, as one removal. It is called once, at the end of the
    /// transaction, because it encodes all removed records.
    func saveKept() throws {
        guard !kept.isEmpty else { return }
        try KeptRemoval.save(Removal(records: kept), at: transaction.now, in: transaction.store)
    }
}

extension KeptRemoval {
    fileprivate static func fetch(in store: Store) throws -> KeptRemoval? {
        guard
            let row = try Row.fetchOne(
                store.db, sql: "SELECT date, records FROM removal WHERE account = ?", arguments: [store.key])
        else { return nil }
        let records = try JSONDecoder().decode([Record].self, from: Data((row[1] as String).utf8))
        return KeptRemoval(
            removal: Removal(records: records.map(\.entry)), date: Timestamp(milliseconds: row[0]).date)
    }

    fileprivate static func save(_ removal: Removal, at now: Timestamp, in store: Store) throws {
        let records = try JSONEncoder().encode(removal.records.map(Record.init))
        try store.db.execute(
            sql: """
                INSERT INTO removal (account, date, records) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET date = excluded.date, records = excluded.records
                """, arguments: [store.key, now.milliseconds, String(decoding: records, as: UTF8.self)])
    }

    /// Takes records out of the stored removal, and deletes it if nothing is left.
    fileprivate static func forget(_ keys: Set<RecordKey>, in store: Store) throws {
        guard let last = try fetch(in: store) else { return }
        let rest = last.removal.records.filter { !keys.contains($0.key) }
        if rest.isEmpty {
            try delete(in: store)
        } else if rest.count < last.removal.records.count {
            try save(Removal(records: rest), at: Timestamp(last.date), in: store)
        }
    }

    private static func delete(in store: Store) throws {
        try store.db.execute(sql: "DELETE FROM removal WHERE account = ?", arguments: [store.key])
    }

    /// One removed record in its stored form.
    private struct Record: Codable {
        let collection: String
        let feed: UUID?
        let id: UUID
        let fields: Fields
        let sequence: Int64
        let modified: Int64

        init(_ entry: (key: RecordKey, record: StoredRecord)) {
            collection = entry.key.collection.rawValue
            feed = entry.key.feed.id?.uuid
            id = entry.key.id.uuid
            fields = entry.record.fields
            sequence = entry.record.sequence
            modified = entry.record.modified.milliseconds
        }

        var entry: (key: RecordKey, record: StoredRecord) {
            (
                RecordKey(
                    RecordCollection(rawValue: collection), in: ReplicaFeed(id: feed.map { FeedID($0) }), RecordID(id)),
                StoredRecord(
                    fields: fields, sequence: sequence, modified: Timestamp(milliseconds: modified))
            )
        }
    }
}
