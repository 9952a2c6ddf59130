/// The presence that a device requests for its account while its live stream is open: `PUT /v1/presence?device=…`.
package struct PresenceRequest: Hashable, Sendable, Codable {
    /// Any state except `offline`, because a device that is offline has no live stream.
    package var state: Presence.State

    /// Creates a request for this state.
    package init(state: Presence.State) {
        self.state = state
    }
}
