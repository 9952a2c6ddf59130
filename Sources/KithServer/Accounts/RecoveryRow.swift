import Foundation
import KithModel

/// A row of the table `recovery`: a recovery code of an account.
///
/// The row has only a keyed hash of the code. A code has 100 random bits, so nobody can find it by trying, and a slow
/// hash is not needed. Because of the key, the hashes of two servers differ. The hash is the primary key. So the account
/// of a code does not have to be known, and the time of a look-up reveals nothing about codes that are nearly right.
struct RecoveryRow {
    let hash: Data
    let account: AccountID
    /// When the code was used; nil if it was not.
    var used: Timestamp?
    /// The session that used it: its token's hash.
    var session: Data?
    /// The session that was opened with it: its token's hash.
    var opened: Data?

    /// The hash of a code. The database's key is created when it is first needed.
    static func hash(_ code: RecoveryCode, random: RandomBytes, in transaction: any Transaction) throws -> Data {
        Secret.hmac(code.characters, key: try Meta.findOrCreateKey("recoveryKey", random, in: transaction))
    }

    /// The code with this hash, with its account locked; nil if there is none. So one session uses it, and no new set
    /// replaces it before that has ended.
    static func find(_ hash: Data, in transaction: any Transaction) throws -> RecoveryRow? {
        let row = try read(hash, in: transaction)
        guard let row, transaction.dialect.hasSeveralWriters else { return row }
        try AccountLock.take([row.account], in: transaction)
        // It may have been used or replaced meanwhile.
        return try read(hash, in: transaction)
    }

    private static func read(_ hash: Data, in transaction: any Transaction) throws -> RecoveryRow? {
        try transaction.query(
            "SELECT account, used, session, opened FROM recovery WHERE hash = ?", [.bytes(hash)]
        ).first.map { row in
            RecoveryRow(
                hash: hash, account: try row.id(0), used: try row.optionalTime(1),
                session: try row.optionalBytes(2), opened: try row.optionalBytes(3))
        }
    }

    /// When the set of an account was made; nil if it has none.
    static func created(of account: AccountID, in transaction: any Transaction) throws -> Timestamp? {
        try transaction.query("SELECT created FROM recovery WHERE account = ? LIMIT 1", [.id(account)]).first?.time(0)
    }

    /// Whether there is a code with this hash. Nothing is locked.
    static func exists(_ hash: Data, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM recovery WHERE hash = ?", [.bytes(hash)])
    }

    /// Stores a new set, in place of the old one.
    static func replace(
        _ hashes: [Data], of account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws {
        try AccountLock.take([account], in: transaction)
        try transaction.execute("DELETE FROM recovery WHERE account = ?", [.id(account)])
        try transaction.insert(
            into: "recovery", ["hash", "account", "created"],
            hashes.map { [.bytes($0), .id(account), .time(now)] })
    }

    /// Stores the use of the code.
    func update(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE recovery SET used = ?, session = ?, opened = ? WHERE hash = ?",
            [.time(used), .bytes(session), .bytes(opened), .bytes(hash)])
    }

    /// The codes of an account: how many there are, how many of them are unused, and when they were made.
    static func count(
        of account: AccountID, in transaction: any Transaction
    ) throws -> (all: Int, left: Int, created: Timestamp?) {
        let rows = try transaction.query("SELECT created, used FROM recovery WHERE account = ?", [.id(account)])
        return (rows.count, rows.count { $0.isNull(1) }, try rows.first?.time(0))
    }
}
