package import KithModel

/// A change of the session in one transaction: which store is current, its account, and the state of its session.
package struct SessionChange: Hashable, Sendable {
    /// One store and its session.
    package struct Side: Hashable, Sendable {
        /// The store. Its key does not change when the store gets an account, or another account.
        package let store: StoreKey
        package let state: SessionState
        /// The account; nil for the userless store.
        package let account: AccountID?

        package init(store: StoreKey, state: SessionState, account: AccountID? = nil) {
            (self.store, self.state, self.account) = (store, state, account)
        }
    }

    package let before: Side
    package let after: Side
    /// Whether the data of the former store was dropped.
    package let isDropped: Bool

    package init(before: Side, after: Side, isDropped: Bool = false) {
        (self.before, self.after, self.isDropped) = (before, after, isDropped)
    }
}
