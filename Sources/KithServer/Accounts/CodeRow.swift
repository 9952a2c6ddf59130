import Foundation
import KithModel

/// A row of the table `code`: a code that was sent.
///
/// The row has a hash of the code and of the token of the session that asked, and such a hash of the last wrong code. The
/// server does not store tokens, so a stolen database does not reveal codes, and no other session can check the code. Limits
/// count by `subject`, a keyed hash of the identity, and by a keyed hash of the network. Both stay until the end of the window
/// even if the account is deleted.
struct CodeRow {
    let id: CodeID
    let account: AccountID
    let identity: Identity
    /// The identity that is removed when the code was right; nil for none.
    let replaces: Identity?
    let hash: Data
    let device: String?
    var state: CodeState
    /// The hash of the last wrong code, to recognise a repetition; nil if there was none.
    var wrong: Data?
    /// What the code has given, to recognise a repetition: the hash of the token of the session that it has opened, or of
    /// the id of the account that has the identity; nil before it was used (the column `opened`).
    var outcome: Data?

    /// The hash of a code for the session with this token.
    static func hash(_ code: String, for token: String) -> Data { Secret.sha256("\(token) \(code)") }

    private static let columns =
        "id, account, identity, hash, device, created, tries, tried, is_used, opened, replaces, wrong"

    private init(_ row: SQLRow) throws {
        id = try row.id(0)
        account = try row.id(1)
        guard let identity = Identity(try row.text(2)) else {
            throw ServerError(.internalError, "The database has a code for something that is no identity.")
        }
        self.identity = identity
        replaces = try row.optionalText(10).flatMap { Identity($0) }
        hash = try row.bytes(3)
        device = try row.optionalText(4)
        state = CodeState(created: try row.time(5))
        state.tries = Int(try row.integer(6))
        state.tried = try row.optionalTime(7)
        state.isUsed = try row.flag(8)
        outcome = try row.optionalBytes(9)
        wrong = try row.optionalBytes(11)
    }

    /// A new code, which `request` asks for.
    init(_ request: CodeRequest, for identity: Identity, of account: AccountID, hash: Data, at now: Timestamp) {
        (id, replaces, device) = (request.id, request.replaces, request.device)
        (self.account, self.identity, self.hash) = (account, identity, hash)
        state = CodeState(created: now)
    }

    /// The code of a session, locked; nil if there is none. So every check counts, however many are made at once.
    static func find(_ id: CodeID, session: Data, in transaction: any Transaction) throws -> CodeRow? {
        try transaction.query(
            """
            SELECT \(columns) FROM code
            WHERE id = ? AND session = ? AND identity IS NOT NULL\(transaction.dialect.locking("code"))
            """, [.id(id), .bytes(session)]
        ).first.map(CodeRow.init)
    }

    /// Whether there is a code of this id, from any session.
    static func exists(_ id: CodeID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM code WHERE id = ?", [.id(id)])
    }

    /// The newest code of a session for an identity that was sent after a time, was not used, and was checked less than `tries`
    /// times; nil if there is none.
    static func waiting(
        for identity: Identity, session: Data, since: Timestamp, tries: Int, in transaction: any Transaction
    ) throws -> CodeID? {
        try transaction.query(
            """
            SELECT id FROM code WHERE session = ? AND identity = ? AND created > ? AND is_used = 0 AND tries < ?
            ORDER BY created DESC, id LIMIT 1
            """, [.bytes(session), .text(identity.text), .time(since), .integer(Int64(tries))]
        ).first?.id(0)
    }

    /// Whether a code has opened the session whose token has this hash.
    static func hasOpened(_ session: Data, with id: CodeID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM code WHERE id = ? AND is_used = 1 AND opened = ?", [.id(id), .bytes(session)])
    }

    /// Stores a new code of a session, with the hashes by which limits count it.
    func insert(subject: Data, session: Data, network: NetworkHash, in transaction: any Transaction) throws {
        try transaction.insert(
            into: "code",
            [
                "id", "account", "session", "network", "identity", "subject", "hash", "device", "created", "tries",
                "is_used", "replaces",
            ],
            [
                [
                    .id(id), .id(account), .bytes(session), .text(network.text), .text(identity.text),
                    .bytes(subject), .bytes(hash), .text(device), .time(state.created), .integer(0), .flag(false),
                    .text(replaces?.text),
                ]
            ])
    }

    /// Stores the state after a check.
    func update(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE code SET tries = ?, tried = ?, is_used = ?, opened = ?, wrong = ? WHERE id = ?",
            [
                .integer(Int64(state.tries)), .time(state.tried), .flag(state.isUsed),
                .bytes(outcome), .bytes(wrong), .id(id),
            ])
    }

    /// The times of the codes for a subject between two times, oldest first.
    static func times(
        of subject: Data, since: Timestamp, until: Timestamp, in transaction: any Transaction
    ) throws -> [Timestamp] {
        try transaction.query(
            "SELECT created FROM code WHERE subject = ? AND created > ? AND created < ? ORDER BY created",
            [.bytes(subject), .time(since), .time(until)]
        ).map { try $0.time(0) }
    }

    /// The checks of all codes for a subject between two times.
    static func tries(
        of subject: Data, since: Timestamp, until: Timestamp, in transaction: any Transaction
    ) throws -> Int {
        try transaction.count(
            """
            SELECT CAST(COALESCE(SUM(tries), 0) AS BIGINT) FROM code
            WHERE subject = ? AND created > ? AND created < ?
            """, [.bytes(subject), .time(since), .time(until)])
    }

    /// Makes the codes of a deleted account useless, and deletes the personal data in them. The counts of checks
    /// stay, and so does the hash of the network, so that nobody can reset the limits by deleting an account.
    static func remove(of account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE code SET identity = NULL, replaces = NULL, device = NULL WHERE account = ?",
            [.id(account)])
    }
}
