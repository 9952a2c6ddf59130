import Foundation
import KithModel

/// The limits of sign-ins to the operator's pages, in a day (UTC). Each attempt counts, also one that succeeds.
///
/// A password has 100 random bits, so that nobody guesses it. The limits save the work of hashing, and make a list of
/// passwords from elsewhere useless.
enum OperatorAttempts {
    /// The attempts from one network.
    static let ofNetwork = 50
    /// The attempts with one name. A new password begins the count again.
    static let ofName = 200
    private static let kind = "operatorName"

    /// Counts an attempt.
    ///
    /// - Throws: ``ServerError`` with the code `quotaExceeded` if there were too many.
    static func take(
        _ name: OperatorName, from network: String, at now: Timestamp, in transaction: any Transaction
    ) throws {
        try NetworkQuota(kind: "operatorSignIns", noun: "sign-ins of operators", limit: ofNetwork).take(
            by: network, at: now, in: transaction)
        _ = try DailyQuota(kind: kind, noun: "sign-ins with this name", limit: ofName).take(
            1, by: key(name), at: now, in: transaction)
    }

    /// Forgets the attempts with a name.
    static func forget(_ name: OperatorName, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM usage WHERE account = ? AND kind = ?", [.id(key(name)), .text(kind)])
    }

    /// Stands for a name in the table of quotas.
    private static func key(_ name: OperatorName) -> AccountID {
        // A SHA-256 has 32 bytes, so there always are 16.
        AccountID(UUID(bytes: [UInt8](Secret.sha256("operator\0\(name.text)").prefix(16))[...]) ?? UUID())
    }
}
