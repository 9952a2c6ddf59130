import Foundation
import KithModel

/// A row of the table `pairing`.
///
/// The row has the SHA-256 of the token, so a thief of the database cannot open a session with it. It is read together
/// with the session that made it: closing that session ends the pairing.
struct PairingRow {
    let id: PairingID
    let account: AccountID
    let created: Timestamp
    /// The name of the device that has used it.
    var device: String?
    /// The session that has used it: its token's hash (the column `used_by`). Empty if the pairing was ended unused; nil if
    /// neither has happened.
    ///
    /// The row of an ended pairing stays, so that a request that is repeated late does not make it again.
    var user: Data?
    /// The session that was opened with it: its token's hash.
    var opened: Data?

    var expires: Timestamp { created + PairingLimits.lifetime }
    /// Whether it was ended before a session has used it.
    var isEnded: Bool { user?.isEmpty ?? false }

    private static let columns = "pairing.id, pairing.account, pairing.created, pairing.device, used_by, opened"

    private init(_ row: SQLRow) throws {
        id = try row.id(0)
        account = try row.id(1)
        created = try row.time(2)
        device = try row.optionalText(3)
        user = try row.optionalBytes(4)
        opened = try row.optionalBytes(5)
    }

    /// Whether it has not expired. One that was made while the clock was ahead would be valid for too long.
    func isValid(at now: Timestamp) -> Bool { now < expires && created < now + PairingLimits.lifetime }

    /// The state at a time.
    func state(at now: Timestamp) -> PairingStatus.State { user != nil ? .used : isValid(at: now) ? .open : .expired }

    /// The pairing with this token; nil if there is none, or the session that made it is closed.
    static func find(_ token: String, in transaction: any Transaction) throws -> PairingRow? {
        try transaction.query(
            """
            SELECT \(columns) FROM pairing JOIN session ON session.token_hash = pairing.session
            WHERE pairing.hash = ?\(transaction.dialect.locking("pairing"))
            """, [.bytes(Secret.sha256(token))]
        ).first.map(PairingRow.init)
    }

    /// A pairing of an account; nil if there is none, or it has ended with the session that made it.
    static func find(
        _ id: PairingID, of account: AccountID, in transaction: any Transaction
    ) throws -> PairingRow? {
        try transaction.query(
            """
            SELECT \(columns) FROM pairing WHERE id = ? AND account = ? AND (used_by IS NOT NULL
                OR EXISTS (SELECT 1 FROM session WHERE session.token_hash = pairing.session))
            """, [.id(id), .id(account)]
        ).first.map(PairingRow.init)
    }

    /// Stores a new pairing of a session, and ends the one that the session had.
    static func insert(
        _ id: PairingID, of account: AccountID, session: Data, token: String, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        try transaction.execute(
            "UPDATE pairing SET used_by = ? WHERE session = ? AND used_by IS NULL", [.bytes(Data()), .bytes(session)])
        try transaction.insert(
            into: "pairing", ["id", "account", "session", "hash", "created"],
            [[.id(id), .id(account), .bytes(session), .bytes(Secret.sha256(token)), .time(now)]])
    }

    /// Stores the session that has used it.
    func update(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE pairing SET device = ?, used_by = ?, opened = ? WHERE id = ?",
            [.text(device), .bytes(user), .bytes(opened), .id(id)])
    }

    /// Ends a pairing of an account, if nobody has used it.
    static func end(_ id: PairingID, of account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE pairing SET used_by = ? WHERE id = ? AND account = ? AND used_by IS NULL",
            [.bytes(Data()), .id(id), .id(account)])
    }
}
