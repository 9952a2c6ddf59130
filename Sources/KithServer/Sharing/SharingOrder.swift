import KithModel

/// A row of the table `sharing_work`: what the background job does about a record.
struct SharingOrder: Hashable {
    /// What is done. The database can have orders of other kinds, which newer nodes have given and carry out.
    enum Kind: String, CaseIterable {
        /// Count a share, and send its email.
        case share
        /// Find out whose code was used.
        case claim
        /// Give the rewards of an event, and remove its record.
        case event
        /// Forget an event of an account that nobody has brought: see ``EarlyEvents``.
        case earlyEvent
        /// Store that another identity is one of a person who was referred: see ``ReferredPeople``. ``SignUps`` gives it.
        case identity
        /// Write into a share that its email was not delivered, because another process than the server has learnt of it.
        case failure
        /// Tell the devices of an account that its feed has changed, because another process than the server has changed it.
        case signal
    }

    /// The account that has the record.
    let account: AccountID
    /// The id of the record. An ``Kind/earlyEvent`` has a hash instead, and an ``Kind/identity`` the id of the account.
    let record: RecordID<Never>
    let kind: Kind

    /// The record.
    var place: RecordPlace { RecordPlace(record, of: account) }

    /// Reads a row of ``next(at:in:)``.
    init(_ row: SQLRow) throws {
        account = try row.id(0)
        record = try row.id(1)
        let name = try row.text(2)
        guard let kind = Kind(rawValue: name) else {
            throw ServerError(.internalError, "This program knows no order of the kind “\(name)”.")
        }
        self.kind = kind
    }

    /// Makes the background job do something about these records of an account, which has edited them.
    static func give(
        _ kind: Kind, about places: [RecordPlace], of account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        let turn = try WorkTurns.take(places.count, of: account, in: .sharing, at: now, in: transaction)
        try give(kind, about: places, due: turn, in: transaction)
    }

    /// Makes the background job do something about these records.
    static func give(
        _ kind: Kind, about places: [RecordPlace], due: Timestamp, in transaction: any Transaction
    ) throws {
        try transaction.insert(
            into: "sharing_work", ["account", "record", "kind", "due"],
            places.map { [.id($0.feed), .id($0.record), .text(kind.rawValue), .time(due)] },
            replacing: ["account", "record", "kind"])
    }

    /// Makes the background job send the signals of this transaction, because another process than the server writes it.
    static func send(_ signals: Signals, at now: Timestamp, in transaction: any Transaction) throws {
        let places = signals.moved.sorted().map { RecordPlace($0, $0.retyped()) }
        try give(.signal, about: places, due: WorkTurn.ofServer(at: now), in: transaction)
    }

    /// The condition of an order that is due and that this program can carry out.
    private static let isDue = "due <= ? AND kind IN (\(knownKinds))"
    private static let knownKinds = Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Whether something is to be done.
    static func isWaiting(at now: Timestamp, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT record FROM sharing_work WHERE \(isDue) LIMIT 1", [.time(now)])
    }

    /// The row of what is to be done first, as it is stored; nil if nothing is.
    ///
    /// A code comes before an event that was sent with it: ``Collections`` orders it before that, and if both are due at the
    /// same time, the kinds are in the order of their names.
    static func next(at now: Timestamp, in transaction: any Transaction) throws -> SQLRow? {
        try transaction.query(
            """
            SELECT account, record, kind FROM sharing_work WHERE \(isDue) ORDER BY due, account, kind, record LIMIT 1\
            \(transaction.dialect.locking("sharing_work"))
            """, [.time(now)]
        ).first
    }

    /// Removes it, because it is done in this transaction.
    func end(in transaction: any Transaction) throws {
        try transaction.execute(
            "DELETE FROM sharing_work WHERE account = ? AND record = ? AND kind = ?",
            [.id(account), .id(record), .text(kind.rawValue)])
    }
}
