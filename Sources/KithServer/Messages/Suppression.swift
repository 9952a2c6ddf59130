package import Foundation
package import KithModel

/// The recipients who have unsubscribed, by their hashes: the table `suppression`. A row stays until its recipient wants the
/// messages again.
package enum Suppression {
    /// Stores that a recipient has unsubscribed from a kind of message.
    package static func add(
        _ recipient: Data, _ kind: MessageKind, at now: Timestamp, in transaction: any Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO suppression (recipient, kind, since) VALUES (?, ?, ?) ON CONFLICT (recipient, kind) DO NOTHING
            """, [.bytes(recipient), .text(kind.rawValue), .time(now)])
    }

    /// Stores that a recipient wants a kind of message again.
    package static func remove(_ recipient: Data, _ kind: MessageKind, in transaction: any Transaction) throws {
        try transaction.execute(
            "DELETE FROM suppression WHERE recipient = ? AND kind = ?", [.bytes(recipient), .text(kind.rawValue)])
    }

    /// Stores that a recipient wants all messages again.
    ///
    /// - Returns: The names of the kinds of messages from which the recipient had unsubscribed.
    package static func remove(_ recipient: Data, in transaction: any Transaction) throws -> [String] {
        try transaction.query("DELETE FROM suppression WHERE recipient = ? RETURNING kind", [.bytes(recipient)])
            .map { try $0.text(0) }.sorted()
    }

    /// The number of recipients who have unsubscribed, counted once for each kind of message.
    package static func count(in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM suppression")
    }

    /// Whether a recipient has unsubscribed from a kind of message.
    package static func contains(
        _ recipient: Data, _ kind: MessageKind, in transaction: any Transaction
    ) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM suppression WHERE recipient = ? AND kind = ?", [.bytes(recipient), .text(kind.rawValue)])
    }
}
