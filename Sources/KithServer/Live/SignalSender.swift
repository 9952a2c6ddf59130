package import KithModel

/// Sends the signals of a commit. Each service sends the signals of its own writes, so that no operation can forget
/// them.
package struct SignalSender: Sendable {
    private let body: @Sendable (Signals, DeviceID?) async -> Void

    /// A sender that calls `body`.
    package init(_ body: @escaping @Sendable (Signals, DeviceID?) async -> Void) {
        self.body = body
    }

    /// Sends to the open live streams, and wakes the job that propagates changed profiles.
    init(_ hub: LiveHub, database: any Database, wakeFanout: @escaping @Sendable () -> Void) {
        self.init { signals, device in
            hub.moved(signals.moved, by: device)
            for session in signals.closedSessions { hub.end(session: session) }
            for account in signals.closedAccounts { hub.end(account: account) }
            if signals.hasNewProfiles { wakeFanout() }
            await hub.readCircles(of: signals.circles, in: database)
        }
    }

    /// Sends nothing: the server polls for what `kith admin` writes.
    package static let none = SignalSender { _, _ in }

    /// Sends `signals`, unless there are none. Call it after the commit.
    ///
    /// - Parameters:
    ///   - signals: The signals for others.
    ///   - device: The device that caused the change; it is not notified of the feeds.
    package func send(_ signals: Signals, by device: DeviceID? = nil) async {
        if signals != Signals() { await body(signals, device) }
    }
}
