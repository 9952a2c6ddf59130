import Foundation
import KithModel

/// The statements over the table `operator_session`: the browsers in which operators are signed in, by the hashes of their
/// tokens.
enum OperatorSessionTable {
    /// How long a session lasts.
    static let lifetime = Duration.seconds(12 * 3_600)
    /// The sessions of one operator. A further one ends the oldest.
    static let most = 20

    static func insert(
        _ token: String, of name: OperatorName, at now: Timestamp, in transaction: any Transaction
    ) throws {
        let older = try transaction.query(
            "SELECT hash FROM operator_session WHERE operator = ? ORDER BY created DESC, hash LIMIT 1000 OFFSET ?",
            [.text(name.text), .integer(Int64(most - 1))])
        try transaction.delete(from: "operator_session", ["hash"], older.map(\.values))
        try transaction.execute(
            "INSERT INTO operator_session (hash, operator, created, expires) VALUES (?, ?, ?, ?)",
            [.bytes(Secret.sha256(token)), .text(name.text), .time(now), .time(now + lifetime)])
    }

    /// The operator with a token; nil if there is no such session, or it has ended.
    static func find(_ token: String, at now: Timestamp, in transaction: any Transaction) throws -> OperatorName? {
        try transaction.query(
            "SELECT operator FROM operator_session WHERE hash = ? AND expires > ?",
            [.bytes(Secret.sha256(token)), .time(now)]
        ).first.map { OperatorName(stored: try $0.text(0)) }
    }

    static func end(_ token: String, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM operator_session WHERE hash = ?", [.bytes(Secret.sha256(token))])
    }

    /// Ends all sessions of an operator.
    static func endAll(of name: OperatorName, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM operator_session WHERE operator = ?", [.text(name.text)])
    }
}
