package import KithModel

/// The new presence of an account at one node.
package struct PresenceChange: Hashable, Sendable {
    package var account: AccountID
    /// The combined state of the account's devices at the node. Unlike what others see, it can be invisible.
    package var state: Presence.State
    /// When it changed.
    package var time: Timestamp

    package init(_ account: AccountID, _ state: Presence.State, at time: Timestamp) {
        (self.account, self.state, self.time) = (account, state, time)
    }
}
