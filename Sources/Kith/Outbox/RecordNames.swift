import GRDB
import KithModel

/// The names of a record and of its list. They are stored so that a refused edit can still be named when both are gone.
struct RecordNames: Sendable, Hashable {
    var listName: String?
    var title: String?

    /// The name of a record with these fields; nil if it has none.
    static func title(of collection: RecordCollection, _ fields: Fields) -> String? {
        ReplicaCollections[collection]?.title(of: fields)
    }
}

extension RecordNames {
    /// The present names of a record and its list; nil for a record that is gone.
    init(of key: RecordKey, _ record: (RecordKey) throws -> StoredRecord?) rethrows {
        listName = key.isAboutList ? try record(.list(key.list))?.fields["name"]?.text : nil
        title = try record(key).flatMap { Self.title(of: key.collection, $0.fields) }
    }

    /// These names; a missing one is taken from `other`.
    func filled(from other: RecordNames) -> RecordNames {
        RecordNames(listName: listName ?? other.listName, title: title ?? other.title)
    }
}

extension ReplicaTransaction {
    /// Stores a refused mutation with the names of its record and list. If those are gone, their last names are used.
    func reject(_ mutation: StoredMutation, _ code: RejectionCode, _ sentence: String) throws {
        var names = try mutation.names.filled(from: RecordNames(of: mutation.key, record))
        if case .edit(let set, _) = mutation.change {
            names = names.filled(from: RecordNames(title: RecordNames.title(of: mutation.key.collection, set)))
        }
        try rejections.add(mutation, code, sentence, names, at: now)
    }

    /// Stores the names of a record that is about to be deleted with its unsent edits, because the server will refuse
    /// them.
    func keepNames(of key: RecordKey) throws {
        let names = try RecordNames(of: key, record)
        try db.cachedStatement(
            sql: """
                UPDATE mutation SET listName = coalesce(listName, ?), title = coalesce(title, ?)
                WHERE account = ? AND record = ? AND collection = ? AND feed IS ? AND taken IS NULL
                """
        ).execute(
            arguments: [names.listName, names.title, account.key, key.id, key.collection.rawValue, key.feed])
    }
}
