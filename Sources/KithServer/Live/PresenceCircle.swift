package import KithModel

extension PresenceRegister.Circle {
    /// Reads what an account lets others know, and whom: one query over its own feed.
    package static func read(of account: AccountID, in transaction: any Transaction) throws -> Self {
        var circle = Self()
        let rows = try transaction.query(
            "SELECT id, collection, fields FROM record WHERE feed = ? AND collection IN ('contact', 'profile') AND deleted = 0",
            [.id(account)])
        for row in rows {
            let text = try row.text(2)
            if try row.text(1) == RecordCollection.profiles.rawValue {
                let fields = try StoredText.fields(text)
                circle.showsPresence = Profile.Part.presence.visibility(in: fields) >= .network
                circle.showsLastSeen = Profile.Part.lastSeen.visibility(in: fields) >= .network
            } else {
                let scan = ContactScan(text)
                if scan.letsKnow { circle.peers.insert(try row.id(0)) }
                if let blocked = scan.blocked { circle.blocked[try row.id(0)] = blocked }
            }
        }
        return circle
    }
}

extension PresenceRegister.Circle {
    /// Whether a record of an account's feed, which has changed, draws its circle otherwise than before.
    static func differs(_ old: StoredRecord?, _ new: StoredRecord, at place: RecordKey) -> Bool {
        if place.record == Profile.id {
            return [Profile.Part.presence, .lastSeen].contains { part in
                part.visibility(in: old?.state.fields ?? [:]) != part.visibility(in: new.state.fields)
            }
        }
        return (old?.letsKnow ?? false) != new.letsKnow
    }
}

extension StoredRecord {
    /// Whether it is a contact that may know of its owner; ``ContactScan`` says so of the stored text.
    fileprivate var letsKnow: Bool {
        collection == .contacts && !state.isDeleted && state.relation == .connected && !state.isBlocked
    }
}
