package import KithModel

/// Follows the changes of contacts and of the account's profile in one transaction.
final class NetworkRecorder: ChangeRecorder {
    /// Contacts that were inserted without a check for an existing record.
    private var inserted: [NetworkContact] = []
    /// The contacts of the former account after a switch to another; nil without a switch.
    private var left: [NetworkContact]?
    /// Changes of contacts outside of their records: fetched pictures and details.
    private var fetched: [AccountID: Set<NetworkContact.Key>] = [:]

    // MARK: Following

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        guard records.collection == .contacts, transaction.hasObservers else { return }
        inserted += records.map { NetworkContact($0, $1) }
    }

    /// Notes that a part of a contact was fetched. Fetched parts are not in the record.
    func noteFetched(_ part: NetworkContact.Key, of contact: AccountID) {
        fetched[contact, default: []].insert(part)
    }

    /// Deletes data that contacts do not show any more: the details of people who are not connected now or have no
    /// details, and pictures that were replaced or removed.
    func writeConsequences(in transaction: ReplicaTransaction) throws {
        let store = transaction.store
        let pictures = PictureCache(store)
        for key in transaction.order where key.collection == .contacts {
            guard let (before, after) = transaction.records[key], let before else { continue }
            let (old, new) = (NetworkContact(key, before), after.map { NetworkContact(key, $0) })
            let isOver = old.relation == .connected && new?.relation != .connected
            if isOver || (old.detailsTag != nil && new?.detailsTag == nil) { try Details.forget(of: old.id, in: store) }
            if let picture = old.picture, picture != new?.picture {
                try pictures.forgetUnshown([picture.small, picture.large])
            }
        }
        let profile = transaction.records[.profile]
        if let picture = profile?.before.flatMap({ Profile.Picture($0.fields) }),
            picture != profile?.after.flatMap({ Profile.Picture($0.fields) })
        {
            try pictures.forgetUnshown([picture.small, picture.large])
        }
    }

    // MARK: Another account

    func willSwitch(in transaction: ReplicaTransaction) throws {
        guard left == nil else { return }
        left = try NetworkContact.fetchAll(in: transaction.store).compactMap { contact in
            let key = RecordKey.contact(contact.id)
            return transaction.records[key].map { $0.before.map { NetworkContact(key, $0) } } ?? contact
        }
    }

    // MARK: What observers receive

    func announcements(in transaction: ReplicaTransaction) throws -> Announcements {
        let (own, others) = try differences(in: transaction)
        var announcements = Announcements()
        announcements.add(own: own, others: others)
        return announcements
    }

    private func differences(
        in transaction: ReplicaTransaction
    ) throws -> (own: ContactDifferences, others: ContactDifferences) {
        let store = transaction.store
        func told(_ all: [ContactDifferences.Difference], _ origin: ChangeOrigin) -> ContactDifferences {
            ContactDifferences(
                all: all, origin: origin, meBefore: transaction.accountBefore.id, meAfter: transaction.account.id)
        }
        if let left {
            let now = try NetworkContact.fetchAll(in: store)
            let me = (transaction.accountBefore.id, transaction.account.id)
            return (told([], .device), .between(left, now, origin: transaction.origin, me: me))
        }
        var own: [ContactDifferences.Difference] = []
        var others: [ContactDifferences.Difference] = []
        var fetched = fetched
        for key in transaction.order where key.collection == .contacts {
            guard let (before, after) = transaction.records[key] else { continue }
            let (old, new) = (before.map { NetworkContact(key, $0) }, after.map { NetworkContact(key, $0) })
            let keys = fetched.removeValue(forKey: key.id.retyped()) ?? []
            let difference = ContactDifferences.Difference(before: old, after: new, keys: keys)
            let seen = old.flatMap { old in new.map { NetworkContact.differing(old, $0) } }
            if let seen, seen.isEmpty, keys.isEmpty { continue }
            // For a request of mine, the server adds the time at which the other person was notified.
            let isConfirmation =
                transaction.confirmed.contains(key) && keys.isEmpty && seen == [.request] && old?.asked == new?.asked
            if isConfirmation { own.append(difference) } else { others.append(difference) }
        }
        others += inserted.map { .init(before: nil, after: $0) }
        for (id, keys) in fetched.sorted(by: { $0.key < $1.key }) {
            guard let contact = try NetworkContact.fetch(id, in: store) else { continue }
            others.append(.init(before: contact, after: contact, keys: keys))
        }
        return (told(own, .device), told(others, transaction.origin))
    }
}

extension Replica {
    /// Reports changes of presence, which is not stored in any table.
    ///
    /// This goes through the writer's queue, so that observers receive it in order with writes.
    package func announcePresence(of accounts: Set<AccountID>) async {
        guard hub.hasObservers, !accounts.isEmpty else { return }
        // The task of a stream that ends is cancelled, and a cancelled task cannot use the queue, so this is done in another
        // one. If the replica cannot be read, any getter throws the reason.
        _ = await Task { [hub] in
            try await onWriterQueue { reading in
                let account = reading.account
                let differences = try accounts.sorted().compactMap { id in
                    try NetworkContact.fetch(id, in: reading.store).map {
                        ContactDifferences.Difference(before: $0, after: $0, keys: [.presence])
                    }
                }
                let all = ContactDifferences(
                    all: differences, origin: .server, meBefore: account.id, meAfter: account.id)
                if !differences.isEmpty { hub.announce([.changes(all)]) }
            }
        }.result
    }
}
