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
            } else if ContactScan(text).letsKnow {
                circle.peers.insert(try row.id(0))
            }
        }
        return circle
    }
}

/// When people were last online, beside their accounts.
package enum LastSeen {
    /// Writes down when these accounts were last seen.
    static func write(_ seen: [AccountID: Timestamp], in transaction: any Transaction) throws {
        try transaction.execute(
            wanted: ["id", "seen"], seen.sorted { $0.key < $1.key }.map { [.id($0.key), .time($0.value)] },
            """
            UPDATE account SET seen_at = (SELECT wanted.seen FROM wanted WHERE wanted.id = account.id)
            WHERE id IN (SELECT id FROM wanted)
            """)
    }
}
