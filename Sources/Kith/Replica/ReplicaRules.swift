package import KithModel

/// The device's special rules for one collection.
///
/// The replica, the outbox and the rounds treat the records of all collections alike and do not name any collection.
/// They call these rules. ``ReplicaCollections`` lists them.
package protocol ReplicaRules: Sendable {
    /// The fields of the collection, and who may write them.
    var schema: Schema { get }

    /// The name of a record with these fields, for people; nil if it has none.
    func title(of fields: Fields) -> String?

    /// The person that a record is about; nil if it is about something else.
    func person(of key: RecordKey) -> AccountID?

    /// The fields that the server will have after it accepts an edit, including changes that it makes itself.
    func foreseen(_ fields: Fields, before: Fields) -> Fields

    /// Whether there can be many records. If so, a page of new ones is written without reading each record first.
    var isMany: Bool { get }

    /// The feed that this device can no longer read once the record is gone; nil if there is none.
    func feedLost(with key: RecordKey) -> FeedID?

    /// A record that the server creates together with one that this device is sending.
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord?

    /// Marks what belongs to the collection and is sent outside of feeds, so that it is sent again: the server may have
    /// lost it.
    func sendAgainWhatIsNotInFeeds(in transaction: ReplicaTransaction) throws

    /// Deletes what was kept beside the records and is no longer needed.
    func purge(in transaction: ReplicaTransaction) throws
}

// The defaults for most collections.
extension ReplicaRules {
    package func title(of fields: Fields) -> String? { nil }
    package func person(of key: RecordKey) -> AccountID? { nil }
    package func foreseen(_ fields: Fields, before: Fields) -> Fields { fields }
    package var isMany: Bool { false }
    package func feedLost(with key: RecordKey) -> FeedID? { nil }
    package func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord? { nil }
    package func sendAgainWhatIsNotInFeeds(in transaction: ReplicaTransaction) throws {}
    package func purge(in transaction: ReplicaTransaction) throws {}
}
