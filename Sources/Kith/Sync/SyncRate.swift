import KithModel

/// How closely the client follows the server.
public enum SyncRate: Int, Sendable, Comparable, CaseIterable {
    /// Only when the app asks: ``KithClient/syncNow()``.
    case off
    /// Edits are sent after ten seconds; others' changes arrive every ten minutes.
    case slow
    /// Edits are sent after half a second; others' changes arrive at once on the live stream, or every minute without
    /// it.
    case `default`

    /// Whether `left` follows the server less closely.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The pause between an edit and its round, so that typing becomes one mutation.
    var quietPeriod: Duration { self == .default ? .milliseconds(500) : .seconds(10) }
    var pollInterval: Duration { self == .default ? .seconds(60) : .minutes(10) }
    /// While the live stream is open, polling is only needed for lost signals.
    var livePollInterval: Duration { .minutes(15) }
    var wantsLive: Bool { self == .default }
}
