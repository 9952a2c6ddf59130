package import KithModel

/// The place of a record: its feed, and its id in the feed.
package struct RecordPlace: Hashable, Sendable, Comparable {
    package var feed: FeedID
    package var record: RecordID<Never>

    package init(_ feed: FeedID, _ record: RecordID<Never>) {
        self.feed = feed
        self.record = record
    }

    /// The place of a record among those of an account.
    init<Record>(_ id: RecordID<Record>, of account: AccountID) {
        self.init(account.retyped(), id.retyped())
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.feed == right.feed ? left.record < right.record : left.feed < right.feed
    }
}
