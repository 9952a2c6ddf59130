import KithModel

/// The state that a record will have once its unsent edits have reached the server.
///
/// Unsent edits stay on top of changes that arrive (laws 4 and 7).
enum PendingState {
    /// - Parameters:
    ///   - base: The record's last state from the server; nil if the server has deleted it or does not know it.
    ///   - unsent: Its mutations that the server has not acknowledged, oldest first.
    ///   - rules: The rules of its collection; nil if this version does not know it.
    /// - Returns: The future record; nil if there will be none.
    static func record(base: StoredRecord?, unsent: [StoredMutation], by rules: (any ReplicaRules)?) -> StoredRecord? {
        var record = base
        record?.isRemoved = false
        for mutation in unsent {
            guard let current = record else {
                record = created(by: mutation, rules?.schema)
                continue
            }
            guard let fields = applied(mutation.change, to: current.fields, by: rules) else {
                record?.isRemoved = true
                continue
            }
            record?.fields = fields
            record?.modified = max(current.modified, mutation.edited)
        }
        return record
    }

    /// The record's fields after an edit, including changes that the server makes itself; nil if the edit deletes the
    /// record.
    static func applied(_ change: Mutation.Change, to fields: Fields, by rules: (any ReplicaRules)?) -> Fields? {
        change.applied(to: fields, of: rules?.schema).map { rules?.predicted($0, before: fields) ?? $0 }
    }

    /// A record that exists only on this device; nil if the mutation edits a record that is gone.
    private static func created(by mutation: StoredMutation, _ schema: Schema?) -> StoredRecord? {
        guard case .edit(let set, _) = mutation.change,
            let schema, schema.missing(in: set) == nil,
            let fields = mutation.change.applied(to: [:], of: schema)
        else { return nil }
        return StoredRecord(fields: fields, sequence: 0, modified: mutation.edited)
    }
}
