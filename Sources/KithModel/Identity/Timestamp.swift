public import Foundation

/// A moment in milliseconds since 1970, as it travels and is stored.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Milliseconds since 1970 began in UTC.
    public var milliseconds: Int64

    /// The moment so many milliseconds after 1970 began.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The whole millisecond nearest to `date`, so that ``date`` and back is the same moment.
    public init(_ date: Date) {
        self.milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// The same moment, for Foundation.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Whether `left` is the earlier moment.
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The moment `duration` later, in whole milliseconds.
    public static func + (time: Self, duration: Duration) -> Self {
        Self(milliseconds: time.milliseconds + duration.milliseconds)
    }

    /// The moment `duration` earlier, in whole milliseconds.
    public static func - (time: Self, duration: Duration) -> Self {
        Self(milliseconds: time.milliseconds - duration.milliseconds)
    }

    /// How long it is from `earlier` to `later`; negative if they are the other way round.
    public static func - (later: Self, earlier: Self) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Timestamp: Codable {
    /// Reads the moment from its milliseconds.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the moment as its milliseconds.
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

    /// So many times 60 seconds.
    public static func minutes(_ minutes: Int64) -> Duration { .seconds(minutes * 60) }

    /// So many times 24 hours.
    public static func days(_ days: Int64) -> Duration { .seconds(days * 86_400) }
}
