import KithModel

/// The presence that this device should show, and the one that the server has received.
struct OwnPresence: Sendable {
    /// The state that the app has set; nil if it has set none. It is kept as long as the client object.
    ///
    /// Without one, nothing is sent: another process of the device may have set a state, which then counts.
    var wanted: Presence.State?
    /// The state that was sent on the open stream; nil if none was.
    var sent: Presence.State?
}
