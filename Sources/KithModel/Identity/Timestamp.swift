public import Foundation

/// A point in time in milliseconds since 1970, as used in messages and databases.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// The milliseconds since 1970-01-01 00:00 UTC.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Rounds `date` to the nearest millisecond, so that converting to ``date`` and back gives the same time.
    public init(_ date: Date) {
        self.milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// The same time as a Foundation date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Whether `left` is earlier.
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The time that is `duration` later, in whole milliseconds.
    public static func + (time: Self, duration: Duration) -> Self {
        Self(milliseconds: time.milliseconds + duration.milliseconds)
    }

    /// The time that is `duration` earlier, in whole milliseconds.
    public static func - (time: Self, duration: Duration) -> Self {
        Self(milliseconds: time.milliseconds - duration.milliseconds)
    }

    /// The duration from `earlier` to `later`; negative if `later` is earlier.
    public static func - (later: Self, earlier: Self) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Timestamp: Codable {
    /// Reads the time from its milliseconds.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the time as its milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded toward zero.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// The duration of `minutes` times 60 seconds.
    public static func minutes(_ minutes: Int64) -> Duration { .seconds(minutes * 60) }

    /// The duration of `days` times 24 hours.
    public static func days(_ days: Int64) -> Duration { .seconds(days * 86_400) }
}
