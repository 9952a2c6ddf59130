import Foundation
import KithModel

/// A row of the table `invitation`: the data of a sent invitation that is not in the records of the two sides.
///
/// `step` is the next step of the background job. A round does not do the work itself, so that it takes the same time for
/// every recipient.
struct InvitationRow {
    /// What the background job does next. The database can have other steps, which newer nodes have ordered and carry out.
    enum Step: String, CaseIterable {
        /// Send the message. The recipient's account is told in a separate step, so that the inviter's record is written at
        /// the same time whether or not the recipient has an account.
        case send
        /// Write the record of the recipient's account, if there is one.
        case tell
        /// Carry out the recipient's acceptance.
        case accept
        /// Accept the invitation without an answer, because the two have become connected in another way.
        case connect
        /// Remove the record of the recipient's account, because the inviter has revoked or removed the invitation.
        case end
        /// Write into the inviter's record that the last message was not delivered, because another process than the
        /// server has learnt of it. The server then tells the inviter's devices.
        case fail
    }

    /// How long an invitation waits that cannot be processed.
    static let pause = Duration.seconds(3_600)

    /// The state of an invitation.
    enum State: String { case pending, accepted, ended }

    /// The inviter.
    let account: AccountID
    let id: InvitationID
    /// The recipient: as in the inviter's record at first, and in canonical form from when the invitation is sent.
    var recipient: Identity
    var state: State = .pending
    var expires: Timestamp
    /// The last message.
    var message: MessageID?
    /// The account that was told of it, and the id of its record (the columns `receiver` and `received`). It has proved that
    /// it is the recipient, or has accepted the invitation.
    var told: (account: AccountID, record: InvitationID)?
    /// When the recipient last declined or deleted it.
    var refused: Timestamp?
    /// The account that has accepted it (the column `peer`).
    var acceptedBy: AccountID?
    var step: Step?
    /// The step of a newer node, which this program does not know. It stays when the row is written.
    private let newerStep: String?
    /// The keyed hash of the network that has ordered to send the invitation; nil if it is not to be sent.
    let network: NetworkHash?
    /// From when the background job does the step; nil if there is none.
    private let due: Timestamp?

    /// Whether the background job of any node has something to do about it.
    var hasWork: Bool { step != nil || newerStep != nil }

    /// The inviter's record.
    var sent: RecordPlace { RecordPlace(id, of: account) }
    /// The record of the account that was told.
    var received: RecordPlace? { told.map { RecordPlace($0.record, of: $0.account) } }

    /// Whether the recipient has declined or deleted it so recently that sending it again has no effect.
    func isRefused(at now: Timestamp) -> Bool { refused.map { $0 + Limits.declined > now } ?? false }

    /// Whether an account was told of it. A recipient who has deleted the record was told too.
    func isKnown(to account: AccountID) -> Bool { told.map { $0.account == account } ?? (refused != nil) }

    private static let columns =
        "account, id, recipient, state, expires, message, receiver, received, refused, peer, step, network, due"

    private init(_ row: SQLRow) throws {
        account = try row.id(0)
        id = try row.id(1)
        guard let recipient = Identity(try row.text(2)) else {
            throw ServerError(.internalError, "The database has an invitation to something that is no identity.")
        }
        self.recipient = recipient
        state = State(rawValue: try row.text(3)) ?? .ended
        expires = try row.time(4)
        message = try row.optionalID(5)
        told = row.isNull(6) || row.isNull(7) ? nil : (try row.id(6), try row.id(7))
        refused = try row.optionalTime(8)
        acceptedBy = try row.optionalID(9)
        let name = try row.optionalText(10)
        step = name.flatMap(Step.init)
        newerStep = step == nil ? name : nil
        network = try row.optionalBytes(11).map { NetworkHash($0) }
        due = try row.optionalTime(12)
    }

    // MARK: Reading

    /// The invitation whose link has a secret with this hash. It is locked if it is to be changed.
    static func find(
        linkHash: Data, isLocking: Bool = false, in transaction: any Transaction
    ) throws -> InvitationRow? {
        let link = try transaction.query(
            "SELECT account, id FROM invitation_link WHERE hash = ?", [.bytes(linkHash)]
        ).first
        guard let link else { return nil }
        let lock = isLocking ? transaction.dialect.locking("invitation") : ""
        return try find("account = ? AND id = ?\(lock)", link.values, in: transaction)
    }

    /// The invitation that a message was about, if it is the invitation's last message.
    static func find(message: MessageID, in transaction: any Transaction) throws -> InvitationRow? {
        try find("message = ?", [.id(message)], in: transaction)
    }

    /// The invitations of an account to the same recipient as this one that nobody has accepted or revoked and that have not
    /// expired, without this one.
    func others(at now: Timestamp, in transaction: any Transaction) throws -> [InvitationRow] {
        try Self.all(
            "recipient = ? AND state = 'pending' AND expires > ? AND account = ? AND id <> ?",
            [.text(recipient.text), .time(now), .id(account), .id(id)], in: transaction)
    }

    /// The invitations of an account to the identities of another that nobody has accepted or revoked and that have not
    /// expired, locked.
    static func all(
        of account: AccountID, to other: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws -> [InvitationRow] {
        try all(
            """
            recipient IN (SELECT value FROM identity WHERE account = ?) AND state = 'pending' AND expires > ?
                AND account = ?
            """, [.id(other), .time(now), .id(account)], lock: transaction.dialect.locking("invitation"),
            in: transaction)
    }

    /// The condition of an invitation whose work is due and can be done by this program.
    private static let isDue = "due <= ? AND (step IS NULL OR step IN (\(knownSteps)))"
    private static let knownSteps = Step.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The invitation whose work is due first; nil if none is due.
    ///
    /// - Parameters:
    ///   - now: The server's time.
    ///   - transaction: The transaction, in which the row is locked.
    ///   - note: Gets the inviter's record before the rest of the row is read, because a damaged row cannot be read.
    /// - Throws: ``ServerError``, for example if the row cannot be read.
    /// - Returns: The row.
    static func next(
        at now: Timestamp, in transaction: any Transaction, _ note: (RecordPlace) -> Void
    ) throws -> InvitationRow? {
        let due = try transaction.query(
            """
            SELECT \(columns) FROM invitation WHERE \(isDue) ORDER BY due, account, id LIMIT 1\
            \(transaction.dialect.locking("invitation"))
            """, [.time(now)]
        ).first
        guard let due else { return nil }
        note(RecordPlace(try due.id(0), try due.id(1)))
        return try InvitationRow(due)
    }

    private static func find(
        _ condition: String, _ values: [SQLValue], in transaction: any Transaction
    ) throws -> InvitationRow? {
        try transaction.query("SELECT \(columns) FROM invitation WHERE \(condition)", values).first
            .map(InvitationRow.init)
    }

    private static func all(
        _ condition: String, _ values: [SQLValue], lock: String = "", in transaction: any Transaction
    ) throws -> [InvitationRow] {
        try transaction.query(
            "SELECT \(columns) FROM invitation WHERE \(condition) ORDER BY account, id\(lock)", values
        ).map(InvitationRow.init)
    }

    /// Whether the background job has something to do.
    static func isWaiting(at now: Timestamp, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT id FROM invitation WHERE \(isDue) LIMIT 1", [.time(now)])
            || IdentityNews.isWaiting(in: transaction)
    }

    // MARK: Writing

    /// Stores new invitations.
    static func insert(
        _ invitations: [(sent: RecordPlace, recipient: String)], at now: Timestamp, in transaction: any Transaction
    ) throws {
        try transaction.insert(
            into: "invitation", ["account", "id", "recipient", "state", "expires"],
            invitations.map { sent, recipient in
                [
                    .id(sent.feed), .id(sent.record), .text(recipient), .text(State.pending.rawValue),
                    .time(now + Limits.invitation),
                ]
            }, replacing: ["account", "id"])
    }

    /// Opens the invitations at these places again if they were revoked or have expired, because they have a new link.
    static func reopen(_ sent: [RecordPlace], at now: Timestamp, in transaction: any Transaction) throws {
        if sent.isEmpty { return }
        try transaction.execute(
            wanted: ["account", "id"], sent.map { [.id($0.feed), .id($0.record)] },
            """
            UPDATE invitation SET state = 'pending', expires = ?, due = CASE WHEN step = 'end' THEN NULL ELSE due END,
                step = CASE WHEN step = 'end' THEN NULL ELSE step END
            WHERE (account, id) IN (SELECT account, id FROM wanted)
                AND (state = 'ended' OR (state = 'pending' AND (step = 'end' OR expires <= ?)))
            """, [.time(now + Limits.invitation), .time(now)])
    }

    /// Makes the background job do a step for the invitations at these places. `network` is the one that has ordered it.
    static func schedule(
        _ step: Step, for sent: [RecordPlace], from network: NetworkHash?, due: Timestamp,
        in transaction: any Transaction
    ) throws {
        try transaction.execute(
            wanted: ["account", "id"], sent.map { [.id($0.feed), .id($0.record)] },
            """
            UPDATE invitation SET step = ?, due = ?, network = ?
            WHERE (account, id) IN (SELECT account, id FROM wanted)
            """, [.text(step.rawValue), .time(due), .bytes(network?.bytes)])
    }

    /// Makes the background job accept the invitations of these received records. They have the turn of the recipient, so that
    /// an inviter with much work does not delay them.
    static func scheduleAcceptances(
        _ received: [RecordPlace], due: Timestamp, in transaction: any Transaction
    ) throws {
        // An invitation that is to be sent, or has a step of a newer node, is accepted after that, by the next step.
        try transaction.execute(
            wanted: ["account", "id"], received.map { [.id($0.feed), .id($0.record)] },
            """
            UPDATE invitation SET step = ?, due = ? WHERE \(isReceived)
                AND (step IS NULL OR (step IN (\(knownSteps)) AND step NOT IN (?, ?)))
            """,
            [.text(Step.accept.rawValue), .time(due), .text(Step.end.rawValue), .text(Step.send.rawValue)])
    }

    /// Stores that the recipients have declined the invitations of these received records.
    static func noteDeclined(_ received: [RecordPlace], at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            wanted: ["account", "id"], received.map { [.id($0.feed), .id($0.record)] },
            "UPDATE invitation SET refused = ? WHERE \(isReceived)", [.time(now)])
    }

    /// Stores that the recipients have deleted these received records.
    static func noteDeleted(_ received: [RecordPlace], at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            wanted: ["account", "id"], received.map { [.id($0.feed), .id($0.record)] },
            "UPDATE invitation SET receiver = NULL, received = NULL, refused = ? WHERE \(isReceived)", [.time(now)])
    }

    /// The condition of an invitation whose received record is one of `wanted`.
    ///
    /// The index has only invitations with a receiver. SQLite does not see that the list of rows has no NULL. Without the
    /// first condition, it would read the whole table.
    private static let isReceived =
        "receiver IS NOT NULL AND (receiver, received) IN (SELECT account, id FROM wanted)"

    /// Makes the background job tell the new accounts of these identities of the invitations to them.
    static func scheduleTelling(_ recipients: [String], at now: Timestamp, in transaction: any Transaction) throws {
        // An invitation with other work is told to its recipient by that work.
        try transaction.execute(
            wanted: ["value"], recipients.map { [.text($0)] },
            """
            UPDATE invitation SET step = ?, due = ?
            WHERE recipient IN (SELECT value FROM wanted) AND state = 'pending' AND step IS NULL AND expires > ?
            """, [.text(Step.tell.rawValue), .time(WorkTurn.ofServer(at: now)), .time(now)])
    }

    /// Makes the background job end the open invitations between people who have become connected: those of each of the two
    /// to an identity of the other. That comes last, because somebody who blocks and unblocks a contact orders it for thousands
    /// of invitations each time.
    static func scheduleConnected(_ pairs: [ContactPair], at now: Timestamp, in transaction: any Transaction) throws {
        // An invitation with other work finds the two connected when it is told to its recipient.
        try transaction.execute(
            wanted: ["inviter", "peer"],
            pairs.flatMap { pair -> [[SQLValue]] in
                [[.id(pair.account), .id(pair.peer)], [.id(pair.peer), .id(pair.account)]]
            },
            """
            UPDATE invitation SET step = ?, due = ? WHERE (account, id) IN (
                SELECT sent.account, sent.id FROM wanted CROSS JOIN identity CROSS JOIN invitation AS sent
                WHERE identity.account = wanted.peer AND sent.recipient = identity.value
                    AND sent.account = wanted.inviter AND sent.state = 'pending' AND sent.step IS NULL
                    AND sent.expires > ?
            )
            """, [.text(Step.connect.rawValue), .time(now), .time(now)])
    }

    /// Ends the invitations of a deleted account, and forgets that it has received others.
    static func remove(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE invitation SET step = ?, due = ? WHERE account = ?",
            [.text(Step.end.rawValue), .time(now), .id(account)])
        try transaction.execute(
            "UPDATE invitation SET receiver = NULL, received = NULL WHERE receiver = ?", [.id(account)])
    }

    /// Writes the row. The work is done unless `step` is set, or is that of a newer node. The network is forgotten, because
    /// the invitation was sent.
    func update(at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            UPDATE invitation SET recipient = ?, state = ?, expires = ?, message = ?, receiver = ?, received = ?,
                refused = ?, peer = ?, step = ?, due = ?, network = NULL WHERE account = ? AND id = ?
            """,
            [
                .text(recipient.text), .text(state.rawValue), .time(expires), .id(message),
                .id(told?.account), .id(told?.record), .time(refused),
                .id(acceptedBy), .text(step?.rawValue ?? newerStep),
                hasWork ? .time(WorkTurn.following(due, at: now)) : .null, .id(account), .id(id),
            ])
    }

    /// Lets the work on an invitation wait, if it is still due. Otherwise another node has done it, or lets it wait.
    static func postpone(_ sent: RecordPlace, at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE invitation SET due = ? WHERE account = ? AND id = ? AND due <= ?",
            [.time(now + pause), .id(sent.feed), .id(sent.record), .time(now)])
    }

    func delete(in transaction: any Transaction) throws {
        try deleteLinks(in: transaction)
        try transaction.execute("DELETE FROM invitation WHERE account = ? AND id = ?", [.id(account), .id(id)])
    }

    // MARK: Links

    /// Adds links with secrets of these hashes. A hash that is already known stays with its invitation.
    static func addLinks(_ links: [(sent: RecordPlace, hash: Data)], in transaction: any Transaction) throws {
        for link in links {
            try transaction.execute(
                "INSERT INTO invitation_link (hash, account, id) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
                [.bytes(link.hash), .id(link.sent.feed), .id(link.sent.record)])
        }
    }

    func deleteLinks(in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM invitation_link WHERE account = ? AND id = ?", [.id(account), .id(id)])
    }
}
