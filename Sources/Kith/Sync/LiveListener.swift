import KithModel

/// What happens on the live stream besides the reports of moved feeds.
protocol LiveListener: Sendable {
    /// The presence that the device wants to show. The next stream opens with it.
    var wantedPresence: Presence.State { get }

    /// Is called when a stream of `device` was opened with the presence `shown`.
    func begin(as shown: Presence.State, on device: DeviceID)

    /// Is called with each report about other people.
    func hear(_ event: ServerEvent, on device: DeviceID) async

    /// Is called when the stream of `device` has ended.
    func end(on device: DeviceID) async
}
