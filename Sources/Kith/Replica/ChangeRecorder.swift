/// Follows the changes of one transaction for one subject, such as the lists or the network.
///
/// It collects the changes that observers receive, and writes the consequences of the changes. ``ReplicaCollections``
/// lists the recorders; each transaction creates its own.
protocol ChangeRecorder: AnyObject, SendableMetatype {
    /// A recorder that has seen no change.
    init()

    /// A record is about to be written or deleted.
    func willWrite(_ key: RecordKey, in transaction: ReplicaTransaction) throws

    /// A record was written or deleted.
    func didWrite(_ write: RecordWrite, _ key: RecordKey, in transaction: ReplicaTransaction) throws

    /// New records were inserted without a check for existing ones.
    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction)

    /// Another account is about to become the current one, or the rows of the current one are about to be deleted. Called
    /// only if somebody receives the changes.
    func willSwitch(in transaction: ReplicaTransaction) throws

    /// Another account has become the current one. Called only if somebody receives the changes.
    func didSwitch(in transaction: ReplicaTransaction) throws

    /// Writes the consequences of all changes of the transaction.
    func writeConsequences(in transaction: ReplicaTransaction) throws

    /// The changes that observers receive. Called only if somebody receives them.
    func announcements(in transaction: ReplicaTransaction) throws -> Announcements
}

// The defaults, for recorders that only follow records.
extension ChangeRecorder {
    func willWrite(_ key: RecordKey, in transaction: ReplicaTransaction) throws {}
    func didWrite(_ write: RecordWrite, _ key: RecordKey, in transaction: ReplicaTransaction) throws {}
    func didSwitch(in transaction: ReplicaTransaction) throws {}
    func writeConsequences(in transaction: ReplicaTransaction) throws {}
}
