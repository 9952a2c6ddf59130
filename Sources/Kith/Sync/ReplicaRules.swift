import KithModel

/// The device's special rules for one collection.
///
/// The outbox and the rounds treat the records of all collections alike and do not name any collection. They call these
/// rules. ``ReplicaCollections`` lists them.
protocol ReplicaRules: Sendable {
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

    /// Whether a new record creates its feed.
    var makesFeed: Bool { get }

    /// The feed that this device can no longer read once the record is gone; nil if there is none.
    func feedLost(with key: RecordKey) -> FeedID?

    /// A record that the server creates together with one that this device is sending.
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord?
}

// The defaults for most collections.
extension ReplicaRules {
    func title(of fields: Fields) -> String? { nil }
    func person(of key: RecordKey) -> AccountID? { nil }
    func foreseen(_ fields: Fields, before: Fields) -> Fields { fields }
    var isMany: Bool { false }
    var makesFeed: Bool { false }
    func feedLost(with key: RecordKey) -> FeedID? { nil }
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord? { nil }
}
