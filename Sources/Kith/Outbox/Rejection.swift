public import Foundation
import GRDB
public import KithModel

/// An edit that the server refused. It is kept with its content until the app dismisses it.
public struct Rejection: Sendable, Hashable, Identifiable {
    /// The identity of the refused mutation.
    public let id: MutationID
    /// The reason, for programs.
    public let code: RejectionCode
    /// The reason, for people.
    public let sentence: String
    /// The record's collection.
    public let collection: RecordCollection
    /// The record that the edit was for.
    public let record: RecordID<Never>
    /// The list that the edit was for.
    public let listID: ListID?
    /// The name of that list, or its last name that this device knew; nil if it knew none.
    public let listName: String?
    /// The name of the record, or its last name that this device knew: an item's title, the name of a list or a person.
    /// nil if it has none.
    public let title: String?
    /// The person that the edit was about, if it is an edit of a contact.
    public let accountID: AccountID?
    /// The lost values: the ones to set or, for additions, to add. Empty for a deletion.
    public let values: Fields
    /// The values that this device shows now: the same fields, with null for a field without a value. nil if the record
    /// is gone.
    public let current: Fields?
    /// Whether the edit was a removal of the record.
    public let isDeletion: Bool
    /// The time at which the device received the refusal.
    public let date: Date

    // `read` returns the present state of a record.
    init(_ row: Row, _ read: (RecordKey) throws -> StoredRecord?) throws {
        id = row["id"]
        code = RejectionCode(rawValue: row["code"])
        sentence = row["sentence"]
        collection = RecordCollection(rawValue: row["collection"])
        record = row["record"]
        let key = RecordKey(collection, in: row["feed"], record)
        accountID = ReplicaCollections[collection]?.person(of: key)
        listID = key.isAboutList ? key.list : nil
        let names = try RecordNames(of: key, read)
            .filled(from: RecordNames(listName: row["listName"], title: row["title"]))
        (listName, title) = (names.listName, names.title)
        switch try StoredJSON.change(row["change"]) {
        case .delete: (values, isDeletion) = ([:], true)
        case .edit(let set, let add):
            (values, isDeletion) = (set.merging(add.mapValues(FieldValue.integer)) { set, _ in set }, false)
        }
        let (schema, values) = (Schema[collection], values)
        let now = try read(key).flatMap { $0.isRemoved ? nil : $0.fields }
        current = now.map { now in
            Dictionary(
                uniqueKeysWithValues: values.keys.map { ($0, schema?[$0]?.shown(now[$0]) ?? now[$0] ?? .null) })
        }
        date = Timestamp(milliseconds: row["date"]).date
    }
}

extension MutationOutcome {
    /// The reason why the server refused the mutation; nil if it did not.
    var refusal: (code: RejectionCode, sentence: String)? {
        guard result == .rejected else { return nil }
        let code = code ?? RejectionCode(rawValue: "unknown")
        return (code, detail ?? "The server refused the edit (\(code)).")
    }
}

/// The edits of an account that the server refused.
struct Rejections {
    let db: Database
    let account: Int64

    /// Stores a refused mutation. If it is already stored, because it was resent and refused again, it stays unchanged.
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
                account, mutation.id, code.rawValue, sentence, mutation.key.feed, mutation.key.collection.rawValue,
                mutation.key.id, StoredJSON.text(mutation.change), now.milliseconds, names.listName, names.title,
            ])
    }

    func all() throws -> [Rejection] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT * FROM rejection WHERE account = ? AND NOT isDismissed ORDER BY date, id"),
            arguments: [account]
        ).map { row in
            try Rejection(row) { try RecordTable.of($0.collection)?.record(db, account, $0) }
        }
    }

    func count() throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM rejection WHERE account = ? AND NOT isDismissed"),
            arguments: [account]) ?? 0
    }

    /// Dismisses one rejection; all if `id` is nil.
    func dismiss(_ id: MutationID?) throws {
        try db.execute(
            sql: "UPDATE rejection SET isDismissed = 1 WHERE account = ? AND (? IS NULL OR id = ?)",
            arguments: [account, id, id])
    }
}
