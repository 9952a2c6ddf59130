package import KithModel

/// The key of a record: its collection, its feed and its identity.
package struct RecordKey: Hashable, Sendable {
    package let collection: RecordCollection
    package let feed: ReplicaFeed
    package let id: RecordID<Never>

    package init(_ collection: RecordCollection, in feed: ReplicaFeed, _ id: RecordID<Never>) {
        self.collection = collection
        self.feed = feed
        self.id = id
    }
}
