package import KithModel

/// What a replica reads next of a feed.
package enum NextPart: Hashable, Sendable {
    /// There is nothing new.
    case nothing
    case changes(after: Int64)
    /// Live records in the order of their ids; from the beginning if `after` is nil.
    case pages(after: RecordID<Never>?, since: Int64)

    /// The next part of `feed` for a replica at `position`.
    ///
    /// If a replica detects that it differs from a feed, it asks to reread the feed: `isReread` is then true, and
    /// reading starts from the beginning.
    package init(of feed: FeedRow, from position: FeedPositions.Position?, isReread: Bool) {
        let beginning = NextPart.pages(after: nil, since: feed.sequence)
        // Tombstones up to the horizon are gone. A sequence beyond the feed's own was not assigned by this feed.
        func holds(_ sequence: Int64) -> Bool { sequence >= feed.horizon && sequence <= feed.sequence }
        self =
            switch position {
            // A reread in progress continues; a restart for each request would never end.
            case .pages(let after, let since): holds(since) ? .pages(after: after, since: since) : beginning
            case .changes(let after) where !isReread && holds(after):
                after == feed.sequence ? .nothing : .changes(after: after)
            case .changes, .reread, nil: beginning
            }
    }
}
