import KithModel

/// Where a record stands on a server.
struct Place: Hashable {
    let feed: FeedID
    let record: RecordID<Never>
}
