import GRDB
import KithModel

/// What people call a record and the list that it is in, kept so that a refused edit can still be named when both are gone.
struct RecordNames: Sendable, Hashable {
    var listName: String?
    var title: String?

    /// What a record with these fields is called; nil if it has no name.
    static func title(of collection: RecordCollection, _ fields: Fields) -> String? {
        ReplicaCollections[collection]?.title(of: fields)
    }
}

extension RecordNames {
    /// What a record and its list are called now; of a record that is gone, nothing.
    init(of key: RecordKey, _ record: (RecordKey) throws -> StoredRecord?) rethrows {
        listName = key.isAboutList ? try record(.list(key.list))?.fields["name"]?.text : nil
        title = try record(key).flatMap { Self.title(of: key.collection, $0.fields) }
    }

    /// These names, and where one is missing, the other's.
    func filled(from other: RecordNames) -> RecordNames {
        RecordNames(listName: listName ?? other.listName, title: title ?? other.title)
    }
}

extension ReplicaTransaction {
    /// Keeps a mutation that was refused, with what its record and its list are called, or were when they went.
    func reject(_ mutation: StoredMutation, _ code: RejectionCode, _ sentence: String) throws {
        var names = try mutation.names.filled(from: RecordNames(of: mutation.key, record))
        if case .edit(let set, _) = mutation.change {
            names = names.filled(from: RecordNames(title: RecordNames.title(of: mutation.key.collection, set)))
        }
        try rejections.add(mutation, code, sentence, names, at: now)
    }

    /// Writes down what a record that is about to go is called, with its edits that are still on their way: the server
    /// will refuse them.
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
