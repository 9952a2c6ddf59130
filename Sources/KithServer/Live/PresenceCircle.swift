package import KithModel

extension PresenceRegister.Circle {
    /// Reads what an account shows to others, and to which people, with one query over its own feed.
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
