package import KithModel

/// The device's rules for one collection.
///
/// The replica, the outbox and the rounds treat the records of all collections alike and do not name any collection.
/// Where collections differ, they call these rules. ``ReplicaCollections`` lists them.
package protocol ReplicaRules: Sendable {
    /// The fields of the collection, and who may write them.
    var schema: Schema { get }

    /// Which records a user could miss. There is no default, so that each kind says it: a store in which nothing counts is
    /// empty.
    var content: StoreContent { get }

    /// The name of a record with these fields, for people; nil if it has none.
    func title(of fields: Fields) -> String?

    /// The person that a record is about; nil if it is about something else.
    func person(of key: RecordKey) -> AccountID?

    /// The fields that the server will have after it accepts an edit. They include changes that the server makes
    /// itself.
    func predicted(_ fields: Fields, before: Fields) -> Fields

    /// How edits of the collection fold while they wait.
    var folding: FoldingRules { get }

    /// Whether there can be many records. If so, a page of new records is written without a check for existing ones.
    var isMany: Bool { get }

    /// My role in the feed whose id the record has, if records of the collection grant access to feeds; else nil.
    func grantedRole(_ fields: Fields) -> Role?

    /// Whether records of the collection grant access to feeds.
    var grantsAccess: Bool { get }

    /// The feed that this device cannot read any more once the record is gone; nil if there is none.
    func feedLost(with key: RecordKey) -> FeedID?

    /// A record that the server creates together with another one that this device is still sending; nil if there is
    /// none.
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord?

    /// The tables with data of the collection that is not sent as mutations. A row with `isUnsent` exists only on this
    /// device.
    var unsentTables: [String] { get }

    /// Marks data of the collection that is not sent as mutations, so that it is sent again, because the server may
    /// have lost it.
    func resendDataOutsideFeeds(in transaction: ReplicaTransaction) throws

    /// Moves the unsent edits of the collection to another account. An edit that means nothing without the old account
    /// stays there, as does everything that the server has. The collections are asked in their order.
    ///
    /// - Throws: An error of the database.
    func moveUnsent(_ move: UnsentMove) throws

    /// Makes a record that begins a feed again under another identity, with everything in the feed, because a feed of another
    /// account has its identity. The server refuses all edits in the feed; what was unsent is sent under the new identity.
    ///
    /// - Returns: false if the record is not shown, so that there is nothing to make again.
    /// - Throws: An error of the database.
    func remake(_ key: RecordKey, in transaction: ReplicaTransaction) throws -> Bool

    /// Deletes data that is stored in addition to the records and is not needed any more.
    func purge(in transaction: ReplicaTransaction) throws
}

// The defaults for most collections.
extension ReplicaRules {
    package func title(of fields: Fields) -> String? { nil }
    package func person(of key: RecordKey) -> AccountID? { nil }
    package func predicted(_ fields: Fields, before: Fields) -> Fields { fields }
    package var folding: FoldingRules { FoldingRules() }
    package var isMany: Bool { false }
    package func grantedRole(_ fields: Fields) -> Role? { nil }
    package var grantsAccess: Bool { false }
    package func feedLost(with key: RecordKey) -> FeedID? { nil }
    package func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord? { nil }
    package var unsentTables: [String] { [] }
    package func resendDataOutsideFeeds(in transaction: ReplicaTransaction) throws {}
    package func moveUnsent(_ move: UnsentMove) throws {}
    package func remake(_ key: RecordKey, in transaction: ReplicaTransaction) throws -> Bool { false }
    package func purge(in transaction: ReplicaTransaction) throws {}
}
