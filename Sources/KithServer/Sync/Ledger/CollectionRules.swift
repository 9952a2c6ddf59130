package import KithModel

/// The rules of one collection on the server.
///
/// The engine in this folder reads, judges and writes records of every collection in the same way, and names no
/// collection. These rules tell it what a mutation may touch, why it is refused, and what its consequences are.
/// ``Collections`` lists the rules.
package protocol CollectionRules: Sendable {
    /// The fields of the collection, and who may write them.
    var schema: Schema { get }

    // MARK: What has to be read and locked

    /// Adds everything that a mutation may touch.
    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds)

    /// Adds the accounts and records that are read for `needs`. `access` has the people of the lists that are
    /// ``LedgerNeeds/listsWithPeople``. The places must not depend on other roles.
    func addPlaces(
        for needs: LedgerNeeds, by account: AccountID?, _ access: [FeedID: [AccountID: Role]],
        to places: inout LedgerPlaces)

    /// Reads other facts for decisions, which are not in feeds, access or records. The rules keep them in a type of their
    /// own, a ``LedgerFacts``. `account` is the caller; nil for the server itself.
    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws

    // MARK: What is refused

    /// Whether a feed has at most one record of the collection, at ``onlyPlace(in:)``.
    var isSingle: Bool { get }

    /// The place that only a record of this collection can have; nil if `feed` has no such place.
    func onlyPlace(in feed: FeedRow) -> RecordPlace?

    /// Whether every edit creates its record if that does not exist or is deleted, regardless of the version that its
    /// author has seen.
    var isCreatedByAnyEdit: Bool { get }

    /// Whether the fields that the schema names count toward the owner's storage.
    var usesStorage: Bool { get }

    /// Whether a mutation creates the feed that it names, in which the account has no role. The feed may exist.
    func createsFeed(_ mutation: Mutation, by account: AccountID, in ledger: Ledger) throws(Judgement.Rejection) -> Bool

    /// Whether the record is about this account, which gives it rights.
    func isAbout(_ account: AccountID, _ mutation: Mutation) -> Bool

    /// Refuses a mutation that is invalid regardless of the resulting record.
    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection)

    /// Refuses a mutation that would result in the invalid record `state`.
    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection)

    /// Whether a deletion leaves a tombstone if the record does not exist.
    func leavesTombstone(_ edit: JudgedMutation, in ledger: Ledger) -> Bool

    // MARK: What follows

    /// Adds the fields that the server sets in a record.
    func complete(_ state: inout RecordState, after edit: JudgedMutation)

    /// Writes the consequences of a mutation, which is already in the ledger.
    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger)

    /// Whether a record waits for its owner's answer. The owner did not create such a record.
    func waits(_ state: RecordState) -> Bool

    /// Writes data outside the records that depends on them, after records of the collection have changed.
    /// `differences` are those of the collection.
    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws

    /// Adds the signals of a changed record, other than the move of its feed.
    func addSignals(of difference: RecordDifference, to signals: inout Signals)
}

// The defaults, which suit most collections.
extension CollectionRules {
    package func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {}
    package func addPlaces(
        for needs: LedgerNeeds, by account: AccountID?, _ access: [FeedID: [AccountID: Role]],
        to places: inout LedgerPlaces
    ) {}
    package func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into known: inout KnownFacts,
        in transaction: any Transaction
    ) throws {}
    package var isSingle: Bool { false }
    package func onlyPlace(in feed: FeedRow) -> RecordPlace? { nil }
    package var isCreatedByAnyEdit: Bool { false }
    package var usesStorage: Bool { true }
    package func createsFeed(
        _ mutation: Mutation, by account: AccountID, in ledger: Ledger
    ) throws(Judgement.Rejection) -> Bool { false }
    package func isAbout(_ account: AccountID, _ mutation: Mutation) -> Bool { false }
    package func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {}
    package func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {}
    package func leavesTombstone(_ edit: JudgedMutation, in ledger: Ledger) -> Bool { false }
    package func complete(_ state: inout RecordState, after edit: JudgedMutation) {}
    package func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger) {}
    package func waits(_ state: RecordState) -> Bool { false }
    package func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {}
    package func addSignals(of difference: RecordDifference, to signals: inout Signals) {}
}
