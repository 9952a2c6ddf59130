import GRDB
package import KithModel

/// The effects of a write on the network beyond its records: what observers receive, and what is deleted after access
/// is lost.
extension ReplicaTransaction {
    /// Stores the contacts before another account becomes the current one.
    func noteNetwork() throws {
        guard networkBefore == nil, announcesBulk else { return }
        networkBefore = try NetworkContact.fetchAll(db, account.key).compactMap { contact in
            let key = RecordKey.contact(contact.id)
            return records[key].map { $0.before.map { NetworkContact(key, $0) } } ?? contact
        }
    }

    /// The contact changes that observers receive: confirmations of this device's own edits, and everything else.
    func networkDifferences() throws -> (own: ContactDifferences, others: ContactDifferences) {
        func told(_ all: [ContactDifferences.Difference], _ origin: ChangeOrigin) -> ContactDifferences {
            ContactDifferences(all: all, origin: origin, meBefore: accountBefore, meAfter: account.id)
        }
        if let networkBefore {
            let after = try NetworkContact.fetchAll(db, account.key)
            let me = (accountBefore, account.id)
            return (told([], .device), .between(networkBefore, after, origin: origin, me: me))
        }
        var own: [ContactDifferences.Difference] = []
        var others: [ContactDifferences.Difference] = []
        var arrived = arrived
        for key in order where key.collection == .contacts {
            guard let (before, after) = records[key] else { continue }
            let (old, new) = (before.map { NetworkContact(key, $0) }, after.map { NetworkContact(key, $0) })
            let keys = arrived.removeValue(forKey: key.id.retyped()) ?? []
            let difference = ContactDifferences.Difference(before: old, after: new, keys: keys)
            let seen = old.flatMap { old in new.map { NetworkContact.differing(old, $0) } }
            if let seen, seen.isEmpty, keys.isEmpty { continue }
            // For a request, the server adds the time at which the other person was notified.
            let isEcho = confirmed.contains(key) && keys.isEmpty && seen == [.request] && old?.asked == new?.asked
            if isEcho { own.append(difference) } else { others.append(difference) }
        }
        others += bulkContacts.map { .init(before: nil, after: $0) }
        for (id, keys) in arrived.sorted(by: { $0.key < $1.key }) {
            guard let contact = try NetworkContact.fetch(db, account.key, id) else { continue }
            others.append(.init(before: contact, after: contact, keys: keys))
        }
        return (told(own, .device), told(others, origin))
    }

    /// The server was restored, or a new account replaces the present one. The server may lack everything that is sent
    /// outside of feeds: my picture is sent again before any edit that refers to it, and discovery runs again at once.
    func doubtWhatWasSentBeside() throws {
        try db.execute(
            sql: """
                UPDATE picture SET isUnsent = 1 WHERE account = ?1 AND hash IN (
                    SELECT pictureSmall FROM profile WHERE account = ?1
                    UNION SELECT pictureLarge FROM profile WHERE account = ?1)
                """, arguments: [account.key])
        try Match.setDue(db, account.key)
    }

    /// Deletes what contacts no longer show: the details of those who are no longer connected or have none, and
    /// pictures that were replaced or removed.
    func forgetWhatIsHidden() throws {
        for key in order where key.collection == .contacts {
            guard let (before, after) = records[key], let before else { continue }
            let (old, new) = (NetworkContact(key, before), after.map { NetworkContact(key, $0) })
            let isOver = old.relation == .connected && new?.relation != .connected
            if isOver || (old.detailsTag != nil && new?.detailsTag == nil) {
                try Details.forget(db, account.key, old.id)
            }
            if let picture = old.picture, picture != new?.picture {
                try PictureCache(db: db, account: account.key).forgetUnshown([picture.small, picture.large])
            }
        }
        let profile = records[.profile]
        if let picture = profile?.before.flatMap({ Profile.Picture($0.fields) }),
            picture != profile?.after.flatMap({ Profile.Picture($0.fields) })
        {
            try PictureCache(db: db, account: account.key).forgetUnshown([picture.small, picture.large])
        }
    }
}

extension ContactDifferences {
    /// The differences between two readings of all contacts.
    static func between(
        _ before: [NetworkContact], _ after: [NetworkContact], origin: ChangeOrigin,
        me: (before: AccountID?, after: AccountID?)
    ) -> Self {
        let differences = Kith.Difference.all(before, after) { .contact($0.id) }
        return ContactDifferences(
            all: differences.map { Difference(before: $0.before, after: $0.after) }, origin: origin,
            meBefore: me.before,
            meAfter: me.after)
    }
}

extension Replica {
    /// Reports changes of contacts that are in no table: their presence.
    ///
    /// This goes through the writer's queue, so that observers receive it in order with writes.
    package func announcePresence(of accounts: Set<AccountID>) async {
        guard hub.isHeard, !accounts.isEmpty else { return }
        // If the replica cannot be read, any getter throws the reason.
        try? await between { [hub] db, account in
            let differences = try accounts.sorted().compactMap { id in
                try NetworkContact.fetch(db, account.key, id).map {
                    ContactDifferences.Difference(before: $0, after: $0, keys: [.presence])
                }
            }
            let all = ContactDifferences(all: differences, origin: .server, meBefore: account.id, meAfter: account.id)
            if !differences.isEmpty { hub.announce([.contacts(all)]) }
        }
    }
}
