import KithModel

/// What a record will be once its unsent edits have reached the server.
///
/// What is still unsent stays on top of what arrives (laws 4 and 7).
enum PendingState {
    /// - Parameters:
    ///   - base: What the server has told of the record; nil if it is deleted, or unknown there.
    ///   - unsent: Its mutations that the server has not taken, oldest first.
    ///   - key: Which record it is.
    /// - Returns: The record to come; nil if there will be none.
    static func record(base: StoredRecord?, unsent: [StoredMutation], of key: RecordKey) -> StoredRecord? {
        let schema = Schema[key.collection]
        var record = base
        record?.isRemoved = false
        for mutation in unsent {
            guard let current = record else {
                record = created(by: mutation, schema)
                continue
            }
            guard let fields = applied(mutation.change, to: current.fields, of: key) else {
                record?.isRemoved = true
                continue
            }
            record?.fields = fields
            record?.modified = max(current.modified, mutation.edited)
        }
        return record
    }

    /// The record's fields after an edit, with what the server does on its own; nil if the edit deletes the record.
    static func applied(_ change: Mutation.Change, to fields: Fields, of key: RecordKey) -> Fields? {
        let after = change.applied(to: fields, of: Schema[key.collection])
        let rules = ReplicaCollections[key.collection]
        return after.map { rules?.foreseen($0, before: fields) ?? $0 }
    }

    /// A record that only this device knows; nil if the mutation edits one that is gone.
    private static func created(by mutation: StoredMutation, _ schema: Schema?) -> StoredRecord? {
        guard case .edit(let set, _) = mutation.change,
            let schema, schema.missing(in: set) == nil,
            let fields = mutation.change.applied(to: [:], of: schema)
        else { return nil }
        return StoredRecord(fields: fields, sequence: 0, modified: mutation.edited)
    }
}
