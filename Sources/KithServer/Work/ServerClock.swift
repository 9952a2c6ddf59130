import Foundation
public import KithModel

/// The source of the time for a server.
public struct ServerClock: Sendable {
    /// The time of day, for the stamps of records. It can be set back.
    public var time: @Sendable () -> Timestamp
    /// The time since any fixed moment, for rate limits and timeouts. It never runs backwards.
    public var uptime: @Sendable () -> Duration
    /// Waits for a duration, or until the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// A clock of these functions.
    public init(
        time: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.time = time
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The time of this machine.
    public static let system: ServerClock = {
        let start = ContinuousClock.now
        return ServerClock(time: { Timestamp(.now) }, uptime: { ContinuousClock.now - start })
    }()
}
