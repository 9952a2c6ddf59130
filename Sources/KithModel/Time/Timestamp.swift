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

    /// The time that is `duration` later, in whole milliseconds, clamped to 64 bits.
    public static func + (time: Self, duration: Duration) -> Self {
        let added = duration.milliseconds
        let (sum, isBeyond) = time.milliseconds.addingReportingOverflow(added)
        return Self(milliseconds: isBeyond ? added < 0 ? .min : .max : sum)
    }

    /// The time that is `duration` earlier, in whole milliseconds, clamped to 64 bits.
    public static func - (time: Self, duration: Duration) -> Self {
        let taken = duration.milliseconds
        let (difference, isBeyond) = time.milliseconds.subtractingReportingOverflow(taken)
        return Self(milliseconds: isBeyond ? taken > 0 ? .min : .max : difference)
    }

    /// The duration from `earlier` to `later`; negative if `later` is earlier. Its milliseconds are clamped to 64 bits.
    public static func - (later: Self, earlier: Self) -> Duration {
        let (difference, isBeyond) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(isBeyond ? later < earlier ? .min : .max : difference)
    }
}

extension Timestamp {
    /// The time in UTC as text, with milliseconds (RFC 3339): `2027-01-15T08:00:00.000Z`.
    package var internetTime: String {
        // The format truncates. Adding half a millisecond rounds to the nearest one.
        date.addingTimeInterval(0.0005).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Timestamp {
    /// The day in UTC, counted from 1970. Days before 1970 are negative.
    package var day: Int64 {
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsOfDay)
        return rest < 0 ? days - 1 : days
    }

    /// The beginning of a ``day``.
    package init(day: Int64) { self.init(milliseconds: day * Self.millisecondsOfDay) }

    private static let millisecondsOfDay = Duration.days(1).milliseconds
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
    /// The duration in whole milliseconds, rounded toward zero, clamped to 64 bits.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isSumBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !isBeyond, !isSumBeyond else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// The duration of `minutes` times 60 seconds.
    public static func minutes(_ minutes: Int64) -> Duration { .seconds(minutes * 60) }

    /// The duration of `days` times 24 hours.
    public static func days(_ days: Int64) -> Duration { .seconds(days * 86_400) }
}
