package import GRDB

/// The replica while it is read, and the account whose store is read. The counterpart of ``ReplicaTransaction``.
package struct ReplicaReading {
    package let db: Database
    package let account: ReplicaAccount
    /// The rows of the account's store.
    package var store: Store { Store(db, account) }
}
