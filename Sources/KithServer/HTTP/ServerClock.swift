import Foundation
public import KithModel

/// The time, as a server is given it.
public struct ServerClock: Sendable {
    /// The time of day, which records are stamped with. It may be set back.
    public var time: @Sendable () -> Timestamp
    /// The time since any fixed moment, which limits are counted by. It never runs backwards.
    public var uptime: @Sendable () -> Duration
    /// Waits so long, or until its task is cancelled: what comes again and again waits with it.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// A clock that reads these.
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
