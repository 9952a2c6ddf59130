import KithModel

// Reading the records of sharing from the replica.
extension Shareable: OwnRecord {
    /// The shareable of a programme under this key; nil if there is none.
    ///
    /// Two devices can make one each while they are offline. Both codes then work. All devices show the one that was
    /// made first.
    static func fetch(of programme: String, key: String?, in store: Store) throws -> Shareable? {
        try fetchAll(in: store).last { $0.programme == programme && $0.key == key }
    }

    /// The shareable that was selected last in a programme; nil if none was.
    static func selected(of programme: String, in store: Store) throws -> Shareable? {
        try fetchAll(in: store).filter { $0.programme == programme && $0.selected != nil }
            .max { ($0.selected?.milliseconds ?? 0, $0.id) < ($1.selected?.milliseconds ?? 0, $1.id) }
    }

    /// Whether the link of a shareable works: the session is ready, and the server has the code.
    static func isReady(_ id: ShareableID, in reading: ReplicaReading) throws -> Bool {
        let key = recordKey(id)
        // Both are read in any case: a live query follows the tables that its first call reads.
        let record = try RecordTable(schema).record(at: key, in: reading.store)
        let unsent = try reading.store.outbox.unsent(of: key)
        guard reading.account.state.isReadyToShare, let record, !record.isRemoved, record.sequence > 0
        else { return false }
        return !unsent.contains { mutation in
            if case .edit(let set, _) = mutation.change { set["code"] != nil } else { true }
        }
    }
}

extension Share: OwnRecord {
    var happened: Timestamp? { shared }
}

extension Claim: OwnRecord {
    var happened: Timestamp? { used }
}

extension Referral: OwnRecord {
    var happened: Timestamp? { joined }
}

extension Reward: OwnRecord {
    var happened: Timestamp? { granted }
}
