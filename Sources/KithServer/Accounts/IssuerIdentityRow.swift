import Foundation
import KithModel

/// A row of the table `issuer_identity`: a user of an issuer, who belongs to one account.
struct IssuerIdentityRow {
    let id: IssuerIdentityID
    /// The issuer's URL.
    let issuer: String
    let since: Timestamp

    /// The account of a user of an issuer; nil if there is none.
    static func owner(of subject: String, at issuer: String, in transaction: any Transaction) throws -> AccountID? {
        try transaction.query(
            "SELECT account FROM issuer_identity WHERE issuer = ? AND subject = ?", [.text(issuer), .text(subject)]
        ).first?.id(0)
    }

    /// The identities of an account, oldest first.
    static func all(of account: AccountID, in transaction: any Transaction) throws -> [IssuerIdentityRow] {
        try transaction.query(
            "SELECT id, issuer, created FROM issuer_identity WHERE account = ? ORDER BY created, id", [.id(account)]
        ).map { IssuerIdentityRow(id: try $0.id(0), issuer: try $0.text(1), since: try $0.time(2)) }
    }

    /// Stores a new identity.
    func insert(_ subject: String, of account: AccountID, in transaction: any Transaction) throws {
        try transaction.insert(
            into: "issuer_identity", ["issuer", "subject", "id", "account", "created"],
            [[.text(issuer), .text(subject), .id(id), .id(account), .time(since)]])
    }

    /// Removes an identity of an account, and returns whether there was one.
    static func remove(
        _ id: IssuerIdentityID, of account: AccountID, in transaction: any Transaction
    ) throws -> Bool {
        try transaction.changes(
            "DELETE FROM issuer_identity WHERE account = ? AND id = ? RETURNING id", [.id(account), .id(id)])
    }
}
