import KithModel

/// How often the client exchanges changes with the server.
public enum SyncRate: Int, Sendable, Comparable, CaseIterable {
    /// Only when the app calls ``KithClient/syncNow()``.
    case off
    /// Edits are sent after ten seconds; changes by others arrive every ten minutes.
    case slow
    /// Edits are sent after half a second; changes by others arrive at once on the live stream, or every minute without
    /// it.
    case `default`

    /// Whether `left` syncs less often.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The pause between an edit and its round, so that typing becomes one mutation.
    var quietPeriod: Duration { self == .default ? .milliseconds(500) : .seconds(10) }
    var pollInterval: Duration { self == .default ? .seconds(60) : .minutes(10) }
    /// While the live stream is open, polling is only needed for lost signals.
    var livePollInterval: Duration { .minutes(15) }
    var wantsLive: Bool { self == .default }
}
