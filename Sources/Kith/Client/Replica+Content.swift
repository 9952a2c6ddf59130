import GRDB
package import KithModel

extension Replica {
    /// The content that getters return, read in one snapshot. For the simulation and the benchmarks.
    package func content() throws -> Content {
        try readNow { db, account in
            let waiting = try Outbox(db: db, account: account.key).waiting()
            return Content(
                account: account, lists: try SharedList.fetchAll(db, account.key),
                items: try ListItem.fetchAll(db, account.key), members: try Member.fetchAll(db, account.key),
                contacts: try NetworkContact.fetchAll(db, account, in: .everyone),
                rejections: try Rejections(db: db, account: account.key).all(in: dependencies.collections),
                waiting: waiting.count, oldestWaiting: waiting.oldest)
        }
    }

    /// Like ``KithClient/dismiss(_:)``, but synchronous. For the simulation.
    package func dismissNow(_ rejection: MutationID) throws { try writeNow { try $0.rejections.dismiss(rejection) } }

    /// The items of one list, as returned by ``Lists/items(in:within:)``.
    package func items(in list: ListID) throws -> [ListItem] {
        try readNow { try ListItem.fetchAll($0, $1.key, in: list) }
    }

    /// The current account's profile, as returned by ``Network/profile()``.
    package func profile() throws -> Profile { try readNow { try Profile.fetch($0, $1.key) } }

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
