/// The limits of recovery codes.
public struct RecoveryLimits: Sendable {
    /// The number of codes in a set.
    public static let codes = 10
    /// Codes that one network tries in a day (UTC), right or wrong: a /24 of IPv4, a /56 of IPv6.
    public var triesOfNetwork = 20
    /// Codes that are tried in a day (UTC), in total.
    public var triesInAll = 10_000
    /// How long the session that used a code can repeat the request, because the answer may be lost.
    public var repeating = Duration.seconds(10 * 60)

    /// The defaults.
    public init() {}
}
