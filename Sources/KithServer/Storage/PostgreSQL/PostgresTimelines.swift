/// The newest timeline to which connections have led.
package struct PostgresTimelines: Sendable {
    /// What a new connection shows.
    package enum Finding: Hashable, Sendable {
        /// It leads to the newest primary that is known, or to another cluster, such as one after `pg_upgrade`.
        case newest
        /// It leads to a primary that has taken over from that of this timeline.
        case failover(from: UInt32)
        /// It leads to an old primary: a replica has taken over from it, and has this timeline.
        case old(newest: UInt32, isReported: Bool)
    }

    /// The newest one; nil if none is known.
    package private(set) var newest: PostgresTimeline?
    private var hasReported = false

    /// None is known.
    package init() {}

    /// Records the timeline of a new connection.
    package mutating func see(_ timeline: PostgresTimeline) -> Finding {
        guard let last = newest, last != timeline else {
            newest = timeline
            return .newest
        }
        if timeline.isOld(after: last) {
            defer { hasReported = true }
            return .old(newest: last.number, isReported: hasReported)
        }
        (newest, hasReported) = (timeline, false)
        return last.isOld(after: timeline) ? .failover(from: last.number) : .newest
    }
}
