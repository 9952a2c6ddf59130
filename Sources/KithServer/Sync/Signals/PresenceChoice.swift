package import KithModel

/// The presence that a device chooses while its live stream is open.
package struct PresenceChoice: Hashable, Sendable {
    package var account: AccountID
    package var device: DeviceID
    package var state: Presence.State

    package init(_ state: Presence.State, of account: AccountID, _ device: DeviceID) {
        (self.account, self.device, self.state) = (account, device, state)
    }
}
