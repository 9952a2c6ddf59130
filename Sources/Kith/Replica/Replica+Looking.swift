import GRDB
package import KithModel

extension Replica {
    /// What getters show, read at once: for the simulation and the benchmarks.
    package func look() throws -> Look {
        try readNow { db, account in
            let waiting = try Outbox(db: db, account: account.key).waiting()
            return Look(
                account: account, lists: try SharedList.fetchAll(db, account.key),
                items: try ListItem.fetchAll(db, account.key), members: try Member.fetchAll(db, account.key),
                contacts: try NetworkContact.fetchAll(db, account, in: .everyone),
                rejections: try Rejections(db: db, account: account.key).all(),
                waiting: waiting.count, oldestWaiting: waiting.oldest)
        }
    }

    /// ``KithClient/dismiss(_:)`` without waiting, for the simulation.
    package func dismissNow(_ rejection: MutationID) throws { try writeNow { try $0.rejections.dismiss(rejection) } }

    /// The items of one list, as ``Lists/items(in:)`` reads them.
    package func items(in list: ListID) throws -> [ListItem] {
        try readNow { try ListItem.fetchAll($0, $1.key, in: list) }
    }

    /// What the current account says of itself, as ``Network/profile()`` reads it.
    package func profile() throws -> Profile { try readNow { try Profile.fetch($0, $1.key) } }

    package struct Look: Sendable {
        package let account: ReplicaAccount
        package let lists: [SharedList]
        /// Also those of lists that are not shown.
        package let items: [ListItem]
        /// Also those of lists that are not shown.
        package let members: [Member]
        /// Everyone that the account has to do with.
        package let contacts: [NetworkContact]
        package let rejections: [Rejection]
        package let waiting: Int
        package let oldestWaiting: Timestamp?
    }

    /// The canonical lines of every record that the current account has of a feed, those that this version only keeps
    /// for a later one included: what is compared with the server.
    package func canonicalLines(of feed: FeedID) throws -> [String] {
        try readNow { db, account in
            let own = feed.uuid == account.id?.uuid
            let known = try Schema.all.filter { ($0.home == .account) == own }.flatMap { schema in
                try (RecordTable.of(schema.collection)?.records(db, account.key, feed: own ? nil : feed) ?? []).map {
                    CanonicalForm.line(
                        collection: schema.collection, id: $0.0.id, sequence: $0.1.sequence, modified: $0.1.modified,
                        fields: $0.1.fields)
                }
            }
            let parked = try Row.fetchAll(
                db,
                sql: """
                    SELECT collection, id, sequence, modified, fields FROM parked WHERE account = ? AND feed = ?
                    """, arguments: [account.key, own ? FeedID.own : feed]
            ).map {
                CanonicalForm.line(
                    collection: RecordCollection(rawValue: $0[0]), id: $0[1], sequence: $0[2],
                    modified: Timestamp(milliseconds: $0[3]), fields: try StoredJSON.fields($0[4]))
            }
            return (known + parked).sorted()
        }
    }
}
