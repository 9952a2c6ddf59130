import KithModel

/// What is special about one collection on the device.
///
/// The outbox and the rounds treat records of every collection in the same way, and name none. They ask these rules.
/// ``ReplicaCollections`` lists them.
protocol ReplicaRules: Sendable {
    /// The fields of the collection, and who may write them.
    var schema: Schema { get }

    /// What people call a record with these fields; nil if it has no name.
    func title(of fields: Fields) -> String?

    /// The person that a record is about; nil if it is about something else.
    func person(of key: RecordKey) -> AccountID?

    /// The fields that the server will have after an edit that it takes, with what it changes by itself.
    func foreseen(_ fields: Fields, before: Fields) -> Fields

    /// Whether a record can be many: a page of new ones is written without reading each before.
    var isMany: Bool { get }

    /// Whether a new record makes the feed that it is in.
    var makesFeed: Bool { get }

    /// The feed that this device can no longer read when the record is gone; nil if it loses none.
    func feedLost(with key: RecordKey) -> FeedID?

    /// A record that the server has not told of, but makes together with one that this device is sending.
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord?
}

// What most collections do.
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
