import KithModel

/// Receives the events of the live stream, except the reports of changed feeds.
protocol LiveListener: Sendable {
    /// The presence that the app has set; nil if it has set none. The next stream opens with it.
    var wantedPresence: Presence.State? { get }

    /// Called when a stream of `device` was opened with the presence `shown`.
    func begin(as shown: Presence.State?, on device: DeviceID)

    /// Called with each report about the presence of other people.
    func hear(_ event: ServerEvent, on device: DeviceID) async

    /// Called when the stream of `device` has ended.
    func end(on device: DeviceID) async
}
