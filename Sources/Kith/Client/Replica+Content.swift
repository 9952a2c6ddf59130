package import KithModel

/// Reads and writes for the simulation, the benchmarks and the tests.
extension Replica {
    /// The content that getters return, read in one snapshot.
    package func content() throws -> Content { try readNow { try content($0) } }

    /// The content that getters return, and the items of each of its lists as returned by ``Lists/items(in:within:)``, read
    /// in one snapshot.
    package func contentWithItems() throws -> (content: Content, items: [[ListItem]]) {
        try readNow { reading in
            let content = try content(reading)
            return (content, try content.lists.map { try ListItem.fetchAll(of: $0.id, in: reading.store) })
        }
    }

    private func content(_ reading: ReplicaReading) throws -> Content {
        let store = reading.store
        let waiting = try store.outbox.waiting()
        return Content(
            account: reading.account, lists: try SharedList.fetchAll(in: store),
            items: try ListItem.fetchAll(in: store), members: try Member.fetchAll(in: store),
            contacts: try NetworkContact.fetchAll(in: .everyone, of: reading),
            rejections: try store.rejections.all(in: dependencies.collections),
            waiting: waiting.count, oldestWaiting: waiting.oldest)
    }

    /// Like ``KithClient/dismiss(_:)``, but synchronous.
    package func dismissNow(_ rejection: MutationID) throws { try writeNow { try $0.rejections.dismiss(rejection) } }

    /// The items of one list, as returned by ``Lists/items(in:within:)``.
    package func items(in list: ListID) throws -> [ListItem] {
        try readNow { try ListItem.fetchAll(of: list, in: $0.store) }
    }

    /// The current account's profile, as returned by ``Network/profile()``.
    package func profile() throws -> Profile { try readNow { try Profile.fetch(in: $0.store) } }

    /// The records of a collection that are not removed, with their fields as they are stored.
    package func records(of collection: RecordCollection) throws -> [(key: RecordKey, fields: Fields)] {
        try readNow {
            try (dependencies.collections.table(of: collection)?.all(in: $0.store) ?? [])
                .filter { !$0.1.isRemoved }.map { ($0.0, $0.1.fields) }
        }
    }

    /// The canonical lines of all records that the current account has of a feed, for a comparison with the server.
    /// Parked records are included.
    package func canonicalLines(of id: FeedID) throws -> [String] {
        try readNow { reading in
            let (store, account) = (reading.store, reading.account)
            let feed = ReplicaFeed(id, inMessagesOf: account.id)
            let known = try dependencies.collections.tables(of: feed).flatMap { table in
                try table.records(of: feed, in: store).map {
                    CanonicalForm.line(
                        collection: table.schema.collection, id: $0.0.id, sequence: $0.1.sequence,
                        modified: $0.1.modified,
                        fields: $0.1.fields)
                }
            }
            let parked = try store.parked.canonicalLines(of: feed)
            return (known + parked).sorted()
        }
    }

    /// The content of the current store.
    package struct Content: Sendable {
        package let account: ReplicaAccount
        package let lists: [SharedList]
        /// All items, including those of lists that are not shown.
        package let items: [ListItem]
        /// All members, including those of lists that are not shown.
        package let members: [Member]
        /// All contacts of the account.
        package let contacts: [NetworkContact]
        package let rejections: [Rejection]
        package let waiting: Int
        package let oldestWaiting: Timestamp?
    }
}
