package import KithModel

/// Where a record is: its feed, and its id there.
package struct RecordPlace: Hashable, Sendable, Comparable {
    package var feed: FeedID
    package var record: RecordID<Never>

    package init(_ feed: FeedID, _ record: RecordID<Never>) {
        self.feed = feed
        self.record = record
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.feed == right.feed ? left.record < right.record : left.feed < right.feed
    }
}
