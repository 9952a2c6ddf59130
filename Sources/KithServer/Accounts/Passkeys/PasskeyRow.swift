import Foundation
import KithModel

/// A row of the table `passkey`: a passkey of an account.
///
/// The row has the public key. The private key never leaves the user's devices, so a stolen database signs in to no
/// account.
struct PasskeyRow {
    let passkey: Passkey
    let account: AccountID
    let credential: Data
    let key: PasskeyKey
    let signCount: UInt32
    let isEligible: Bool

    /// The properties that an assertion is compared with.
    var known: PasskeyCheck.Known {
        PasskeyCheck.Known(account: account, key: key, signCount: signCount, isEligible: isEligible)
    }

    private static let columns =
        "id, account, credential, algorithm, public_key, sign_count, is_eligible, is_synced, name, created, used"

    private init(_ row: SQLRow) throws {
        passkey = Passkey(
            id: try row.id(0), name: try row.optionalText(8), created: try row.time(9),
            used: try row.optionalTime(10), isSynced: try row.flag(7))
        account = try row.id(1)
        credential = try row.bytes(2)
        key = PasskeyKey(algorithm: Int(try row.integer(3)), bytes: try row.bytes(4))
        signCount = UInt32(clamping: try row.integer(5))
        isEligible = try row.flag(6)
    }

    /// The row of a new passkey.
    init(_ passkey: Passkey, of account: AccountID, _ credential: PasskeyCredential) {
        (self.passkey, self.account) = (passkey, account)
        (self.credential, self.key, self.signCount) = (credential.id, credential.key, credential.signCount)
        isEligible = AuthenticatorData(credential).isEligible
    }

    /// The passkeys of an account, oldest first.
    static func all(of account: AccountID, in transaction: any Transaction) throws -> [PasskeyRow] {
        try transaction.query(
            "SELECT \(columns) FROM passkey WHERE account = ? ORDER BY created, id", [.id(account)]
        ).map(PasskeyRow.init)
    }

    /// The passkey with this credential id; nil if there is none.
    static func find(_ credential: Data, in transaction: any Transaction) throws -> PasskeyRow? {
        try transaction.query("SELECT \(columns) FROM passkey WHERE credential = ?", [.bytes(credential)]).first
            .map(PasskeyRow.init)
    }

    /// The passkey with this id; nil if there is none.
    static func find(_ id: PasskeyID, in transaction: any Transaction) throws -> PasskeyRow? {
        try transaction.query("SELECT \(columns) FROM passkey WHERE id = ?", [.id(id)]).first.map(PasskeyRow.init)
    }

    /// Stores a new passkey.
    func insert(in transaction: any Transaction) throws {
        try transaction.insert(
            into: "passkey",
            [
                "id", "account", "credential", "algorithm", "public_key", "sign_count", "is_eligible", "is_synced",
                "name", "created",
            ],
            [
                [
                    .id(passkey.id), .id(account), .bytes(credential), .integer(Int64(key.algorithm)),
                    .bytes(key.bytes), .integer(Int64(signCount)), .flag(isEligible), .flag(passkey.isSynced),
                    .text(passkey.name), .time(passkey.created),
                ]
            ])
    }

    /// Stores the use of the passkey.
    func note(_ data: AuthenticatorData, at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE passkey SET sign_count = ?, is_synced = ?, used = ? WHERE id = ?",
            [.integer(Int64(data.signCount)), .flag(data.isBackedUp), .time(now), .id(passkey.id)])
    }

    /// Deletes a passkey of an account, and returns whether there was one.
    static func remove(_ id: PasskeyID, of account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.changes(
            "DELETE FROM passkey WHERE id = ? AND account = ? RETURNING id", [.id(id), .id(account)])
    }
}
