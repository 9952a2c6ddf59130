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
    /// The list's name, or the last name that this device knew; nil if it knew none.
    public let listName: String?
    /// The record's name, or the last name that this device knew: an item's title, or the name of a list or a person.
    /// nil if it knew none.
    public let title: String?
    /// The person that the edit was about, if it is an edit of a contact.
    public let accountID: AccountID?
    /// The lost values: the ones to set or, for additions, to add. Empty for a deletion.
    public let values: Fields
    /// The current values of the same fields on this device, with null for a field without a value. nil if the record
    /// is gone.
    public let current: Fields?
    /// Whether the edit was a removal of the record.
    public let isDeletion: Bool
    /// The time at which the device received the rejection.
    public let date: Date

    /// The columns, in the order of `init(_:_:_:)`.
    static let columns = "id, code, sentence, collection, record, feed, listName, title, change, date"

    // `read` returns the current state of a record.
    init(
        _ columns: DirectStatement.Columns, _ collections: ReplicaCollections,
        _ read: (RecordKey) throws -> StoredRecord?
    ) throws {
        id = try columns.id(0)
        code = RejectionCode(rawValue: columns.text(1))
        sentence = columns.text(2)
        collection = RecordCollection(rawValue: columns.text(3))
        record = try columns.id(4)
        let key = RecordKey(collection, in: ReplicaFeed(id: columns.idIfAny(5)), record)
        accountID = collections[collection]?.person(of: key)
        listID = collections.feed(of: key)?.retyped()
        let names = try RecordNames(of: key, collections, read)
            .filled(from: RecordNames(listName: columns.textIfAny(6), title: columns.textIfAny(7)))
        (listName, title) = (names.listName, names.title)
        switch try StoredJSON.change(columns.text(8)).withoutStatements {
        case .delete: (values, isDeletion) = ([:], true)
        case .edit(let set, let add):
            (values, isDeletion) = (set.merging(add.mapValues(FieldValue.integer)) { set, _ in set }, false)
        }
        let (schema, values) = (collections[collection]?.schema, values)
        let now = try read(key).flatMap { $0.isRemoved ? nil : $0.fields }
        current = now.map { now in
            Dictionary(
                uniqueKeysWithValues: values.keys.map { ($0, schema?[$0]?.shown(now[$0]) ?? now[$0] ?? .null) })
        }
        date = Timestamp(milliseconds: columns.integer(9)).date
    }
}

extension MutationOutcome {
    /// The reason why the server refused the mutation; nil if it did not.
    var rejection: (code: RejectionCode, sentence: String)? {
        guard result == .rejected else { return nil }
        let code = code ?? RejectionCode(rawValue: "unknown")
        return (code, detail ?? "The server refused the edit (\(code)).")
    }
}

extension RecordNames {
    /// The current names of a record and its list; nil for a record that is gone.
    init(
        of key: RecordKey, _ collections: ReplicaCollections, _ record: (RecordKey) throws -> StoredRecord?
    ) rethrows {
        let first = collections.feed(of: key).flatMap(collections.beginning)
        listName = try first.flatMap { first in
            try record(first).flatMap { collections[first.collection]?.title(of: $0.fields) }
        }
        title = try record(key).flatMap { collections[key.collection]?.title(of: $0.fields) }
    }
}

extension ReplicaTransaction {
    /// Stores a refused mutation with the names of its record and list. If those are gone, their last known names are
    /// used.
    func reject(_ mutation: StoredMutation, _ code: RejectionCode, _ sentence: String) throws {
        var names = try mutation.names.filled(from: RecordNames(of: mutation.key, collections, record))
        if case .edit(let set, _) = mutation.change {
            names = names.filled(from: RecordNames(title: collections[mutation.key.collection]?.title(of: set)))
        }
        try rejections.add(mutation, code, sentence, names, at: now)
    }

    /// Stores the names of a record that is about to be deleted although it has unsent edits. The server will refuse
    /// these edits.
    func keepNames(of key: RecordKey) throws {
        let names = try RecordNames(of: key, collections, record)
        try db.cachedStatement(
            sql: """
                UPDATE mutation SET listName = coalesce(listName, ?), title = coalesce(title, ?)
                WHERE account = ? AND record = ? AND collection = ? AND feed IS ? AND taken IS NULL
                """
        ).execute(
            arguments: [names.listName, names.title, account.key, key.id, key.collection.rawValue, key.feed.id])
    }
}
