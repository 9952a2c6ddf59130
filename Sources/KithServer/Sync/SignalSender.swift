package import KithModel

/// Sends the signals of commits.
package struct SignalSender: Sendable {
    private let body: @Sendable (Signals, DeviceID?) async -> Void

    /// A sender that calls `body`.
    package init(_ body: @escaping @Sendable (Signals, DeviceID?) async -> Void) {
        self.body = body
    }

    /// Sends nothing: the server polls for what `kith admin` writes.
    package static let none = SignalSender { _, _ in }

    /// Runs `body` in a write transaction, then sends the signals of the commit.
    ///
    /// - Throws: What `body` throws, or what ``Database/write(_:)`` throws. Nothing is sent then.
    package func commit<Value: Sendable>(
        in database: any Database, _ body: @escaping @Sendable (any Transaction) throws -> Committed<Value>
    ) async throws -> Value {
        let committed = try await database.write(body)
        await send(committed.signals)
        return committed.value
    }

    /// Sends `signals`, unless there are none. Call it after the commit.
    ///
    /// - Parameters:
    ///   - signals: The signals for others.
    ///   - device: The device that caused the change; it is not notified of the feeds.
    package func send(_ signals: Signals, by device: DeviceID? = nil) async {
        if signals != Signals() { await body(signals, device) }
    }
}
