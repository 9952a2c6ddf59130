import KithModel

/// The presence that this device should show, and the one that the server has received.
struct OwnPresence: Sendable {
    /// The state that the app has set. It is kept as long as the client object.
    var wanted = Presence.State.online
    /// The state that was sent on the open stream; nil if no stream is open.
    var sent: Presence.State?
}
