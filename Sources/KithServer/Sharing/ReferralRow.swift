package import KithModel

/// A row of the table `referral`: a decision about the rewards for an event of a friend. There is one for each event.
package struct ReferralRow: Hashable, Sendable, Identifiable {
    /// What is decided.
    package enum State: String, CaseIterable, Hashable, Sendable {
        case held, granted, refused
    }

    package let id: RecordID<ReferralRow>
    package let programme: String
    package let advocate: AccountID
    package let friend: AccountID
    /// The event: `joined`, or a name of the app.
    package let event: String
    /// The advocate's record.
    package let record: ReferralID
    package let occurred: Timestamp
    package internal(set) var state: State
    package internal(set) var reasons: [ReferralReason]
    /// Until when it is or was held; nil if it never was.
    package let until: Timestamp?
    /// When the background job decides; nil if it is decided.
    var due: Timestamp?
    /// When it was granted or refused; nil if it is held.
    package internal(set) var decided: Timestamp?
    /// Whether the operator has decided.
    package internal(set) var isByOperator: Bool

    /// The advocate's record.
    var place: RecordPlace { RecordPlace(record, of: advocate) }

    /// The columns, as ``init(_:)`` reads them.
    static let columns =
        [
            "id", "programme", "advocate", "friend", "event", "record", "occurred", "state", "reasons", "until", "due",
            "decided", "is_by_operator",
        ].map { "referral.\($0)" }.joined(separator: ", ")

    /// The decision about an event of an account that an advocate has brought.
    init(
        _ id: ID, _ event: String, of attribution: AttributionRow, _ verdict: Verdict,
        at now: Timestamp
    ) {
        self.id = id
        programme = attribution.programme
        advocate = attribution.advocate
        friend = attribution.account
        self.event = event
        record = attribution.record
        occurred = now
        reasons = verdict.reasons
        isByOperator = false
        switch verdict {
        case .granted: (state, until, due, decided) = (.granted, nil, nil, now)
        case .refused: (state, until, due, decided) = (.refused, nil, nil, now)
        case .held(_, let until, _): (state, self.until, due, decided) = (.held, until, until, nil)
        }
    }

    /// Reads a row of ``columns``.
    init(_ row: SQLRow) throws {
        id = try row.id(0)
        programme = try row.text(1)
        advocate = try row.id(2)
        friend = try row.id(3)
        event = try row.text(4)
        record = try row.id(5)
        occurred = try row.time(6)
        state = State(rawValue: try row.text(7)) ?? .refused
        reasons = try row.text(8).split(separator: " ").compactMap { ReferralReason(rawValue: String($0)) }
        until = try row.optionalTime(9)
        due = try row.optionalTime(10)
        decided = try row.optionalTime(11)
        isByOperator = try row.flag(12)
    }

    /// The verdict that the row stores. Only a referral that every programme of its kind holds is not doubtful.
    var verdict: Verdict {
        switch state {
        case .held: .held(reasons, until: until ?? occurred, isDoubtful: !reasons.contains(.holding))
        case .granted: .granted(reasons)
        case .refused: .refused(reasons)
        }
    }

    private var reasonWords: String { reasons.map(\.rawValue).joined(separator: " ") }

    // MARK: Reading

    static func find(_ id: ID, in transaction: any Transaction) throws -> ReferralRow? {
        try all("id = ?\(transaction.dialect.locking("referral"))", [.id(id)], in: transaction).first
    }

    /// The decisions about the events of a friend.
    static func all(
        of friend: AccountID, in programme: String, in transaction: any Transaction
    ) throws -> [ReferralRow] {
        try all("programme = ? AND friend = ? ORDER BY event", [.text(programme), .id(friend)], in: transaction)
    }

    /// Whether a held referral is to be decided.
    static func isWaiting(at now: Timestamp, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT id FROM referral WHERE due <= ? LIMIT 1", [.time(now)])
    }

    /// The row of the held referral to decide about first, as it is stored; nil if there is none.
    static func next(at now: Timestamp, in transaction: any Transaction) throws -> SQLRow? {
        try rows(
            "due <= ? ORDER BY due, id LIMIT 1\(transaction.dialect.locking("referral"))", [.time(now)],
            in: transaction
        ).first
    }

    private static func all(
        _ condition: String, _ values: [SQLValue], in transaction: any Transaction
    ) throws -> [ReferralRow] {
        try rows(condition, values, in: transaction).map(ReferralRow.init)
    }

    private static func rows(
        _ condition: String, _ values: [SQLValue], in transaction: any Transaction
    ) throws -> [SQLRow] {
        try transaction.query("SELECT \(columns) FROM referral WHERE \(condition)", values)
    }

    // MARK: Writing

    /// Writes a new row, unless there is one for the event.
    ///
    /// - Returns: Whether it was written.
    func insert(in transaction: any Transaction) throws -> Bool {
        try transaction.changes(
            """
            INSERT INTO referral (id, programme, advocate, friend, event, record, occurred, state, reasons, until, due,
                decided, is_by_operator)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (programme, friend, event) DO NOTHING RETURNING id
            """,
            [
                .id(id), .text(programme), .id(advocate), .id(friend), .text(event), .id(record), .time(occurred),
                .text(state.rawValue), .text(reasonWords), .time(until), .time(due), .time(decided),
                .flag(isByOperator),
            ])
    }

    /// Stores a decision.
    mutating func decide(
        _ state: State, byOperator isByOperator: Bool = false, at now: Timestamp, in transaction: any Transaction
    ) throws {
        self.state = state
        (due, decided, self.isByOperator) = (nil, now, isByOperator)
        try transaction.execute(
            """
            UPDATE referral SET state = ?, reasons = ?, due = NULL, decided = ?, is_by_operator = ? WHERE id = ?
            """,
            [.text(state.rawValue), .text(reasonWords), .time(now), .flag(isByOperator), .id(id)])
    }

    /// Lets a held referral wait, if it is still due.
    func postpone(at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE referral SET due = ? WHERE id = ? AND due <= ?",
            [.time(now + SharingService.pause), .id(id), .time(now)])
    }
}
