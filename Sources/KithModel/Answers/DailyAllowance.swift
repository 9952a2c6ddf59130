/// An account's quota for one day (UTC), and how much of it is used.
public struct DailyAllowance: Hashable, Sendable, Codable {
    /// The quota of one day.
    public var limit: Int
    /// The used part of today's quota.
    public var used: Int
    /// The beginning of the next day, in the server's time.
    public var resets: Timestamp

    /// Creates an allowance with these properties.
    public init(limit: Int, used: Int, resets: Timestamp) {
        (self.limit, self.used, self.resets) = (limit, used, resets)
    }

    /// The remaining part of today's quota.
    public var left: Int { max(0, limit - used) }
}
