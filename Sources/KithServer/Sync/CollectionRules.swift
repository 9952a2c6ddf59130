import KithModel

/// What is special about one collection on the server.
///
/// The engine in this folder reads, judges and writes records of every collection in the same way, and names none. It asks
/// these rules what a mutation may touch, why it is refused, and what follows from it. ``Collections`` lists the rules.
protocol CollectionRules: Sendable {
    /// The fields of the collection, and who may write them.
    var schema: Schema { get }

    // MARK: What has to be read and locked

    /// Adds all that a mutation may touch.
    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds)

    /// Adds the accounts and records that are read for `needs`, now that it is known who is in the lists.
    func addPlaces(
        for needs: LedgerNeeds, by account: AccountID?, _ access: [FeedID: [AccountID: Role]],
        to places: inout LedgerPlaces)

    /// Reads what decides beside feeds, access and records. `account` is who asks; nil for the server itself.
    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into beside: inout Ledger.Beside,
        in transaction: any Transaction
    ) throws

    // MARK: What is refused

    /// Whether a feed has at most one record of the collection, at ``onlyPlace(in:)``.
    var isSingle: Bool { get }

    /// The place that only a record of this collection has; nil if `feed` has no such place.
    func onlyPlace(in feed: FeedRow) -> RecordPlace?

    /// Whether an edit begins a record where there is none, or a deleted one, whatever its author has seen of it.
    var isBegunByAnyEdit: Bool { get }

    /// Whether the fields that the schema names count for the owner's storage.
    var usesStorage: Bool { get }

    /// Whether a mutation makes the feed that it names, which does not exist.
    func opensFeed(_ mutation: Mutation, by account: AccountID, in ledger: Ledger) throws(Judgement.Rejection) -> Bool

    /// Whether the record is about this account, which gives it rights.
    func isAbout(_ account: AccountID, _ mutation: Mutation) -> Bool

    /// Refuses a mutation that cannot be, whatever it would make of the record.
    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection)

    /// Refuses a mutation that would make `state` of the record.
    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection)

    /// Whether a deletion leaves a tombstone where there is no record.
    func leavesTombstone(_ edit: JudgedMutation, in ledger: Ledger) -> Bool

    // MARK: What follows

    /// Adds the fields that the server gives to a record.
    func complete(_ state: inout RecordState, after edit: JudgedMutation)

    /// Changes what follows from a mutation, which is in the ledger already.
    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger)

    /// Whether a record waits for its owner's answer, and so is not of the owner's making.
    func waits(_ state: RecordState) -> Bool

    /// Writes what depends on the collection's records, beside them. `differences` are those of the collection.
    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws

    /// Adds what others are told of a changed record, beside the move of its feed.
    func addSignals(of difference: RecordDifference, to signals: inout Signals)
}

/// A mutation, and what it finds.
struct JudgedMutation: Sendable {
    let mutation: Mutation
    /// Who makes it.
    let account: AccountID
    /// The record before it; nil if there is none.
    let old: RecordState?
    /// Whether it begins the record.
    let isNew: Bool
}

// What most collections do.
extension CollectionRules {
    func addNeeds(of mutation: Mutation, by account: AccountID, to needs: inout LedgerNeeds) {}
    func addPlaces(
        for needs: LedgerNeeds, by account: AccountID?, _ access: [FeedID: [AccountID: Role]],
        to places: inout LedgerPlaces
    ) {}
    func read(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, into beside: inout Ledger.Beside,
        in transaction: any Transaction
    ) throws {}
    var isSingle: Bool { false }
    func onlyPlace(in feed: FeedRow) -> RecordPlace? { nil }
    var isBegunByAnyEdit: Bool { false }
    var usesStorage: Bool { true }
    func opensFeed(
        _ mutation: Mutation, by account: AccountID, in ledger: Ledger
    ) throws(Judgement.Rejection) -> Bool { false }
    func isAbout(_ account: AccountID, _ mutation: Mutation) -> Bool { false }
    func check(_ edit: JudgedMutation, in ledger: Ledger) throws(Judgement.Rejection) {}
    func check(
        _ edit: JudgedMutation, making state: RecordState, at now: Timestamp, in ledger: Ledger
    ) throws(Judgement.Rejection) {}
    func leavesTombstone(_ edit: JudgedMutation, in ledger: Ledger) -> Bool { false }
    func complete(_ state: inout RecordState, after edit: JudgedMutation) {}
    func follow(_ edit: JudgedMutation, making state: RecordState, in ledger: inout Ledger) {}
    func waits(_ state: RecordState) -> Bool { false }
    func write(_ differences: [RecordDifference], of ledger: Ledger, in transaction: any Transaction) throws {}
    func addSignals(of difference: RecordDifference, to signals: inout Signals) {}
}
