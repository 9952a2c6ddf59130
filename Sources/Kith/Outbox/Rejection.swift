public import Foundation
import GRDB
public import KithModel

/// An edit that the server refused, kept with its content until the app has taken note of it.
public struct Rejection: Sendable, Hashable, Identifiable {
    /// The identity of the refused mutation.
    public let id: MutationID
    /// Why, for programs.
    public let code: RejectionCode
    /// Why, for people.
    public let sentence: String
    /// The record's collection.
    public let collection: RecordCollection
    /// The record that was to be changed.
    public let record: RecordID<Never>
    /// The list that it was meant for.
    public let listID: ListID?
    /// What that list is called, or was called when this device last knew it; nil if it never did.
    public let listName: String?
    /// What the record is called, or was called when this device last knew it: an item's title, a list's or a person's
    /// name. nil if it has none.
    public let title: String?
    /// The person that it was about, if it is an edit of a contact.
    public let accountID: AccountID?
    /// What was lost: what would have been set or, for additions, added. Empty for a deletion.
    public let values: Fields
    /// What is there instead, as this device shows it now: the same fields, null where there is nothing. nil if the record
    /// is gone.
    public let current: Fields?
    /// Whether the record was to be removed.
    public let isDeletion: Bool
    /// When the device learned of it.
    public let date: Date

    // `read` reads a record as it is now.
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
    /// Why the server refused the mutation; nil if it did not.
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

    /// Keeps a refused mutation. One that was told before, and is told again because it was sent again, stays as it is.
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

    /// Takes note of one rejection; of all where `id` is nil.
    func dismiss(_ id: MutationID?) throws {
        try db.execute(
            sql: "UPDATE rejection SET isDismissed = 1 WHERE account = ? AND (? IS NULL OR id = ?)",
            arguments: [account, id, id])
    }
}
