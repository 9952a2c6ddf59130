import KithModel

/// Identifies a record on a server.
struct Place: Hashable {
    let feed: FeedID
    let record: RecordID<Never>
}
