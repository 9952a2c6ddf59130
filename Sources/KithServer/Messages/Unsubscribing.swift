import Foundation
package import KithModel

/// Lets the recipients of messages unsubscribe, and take that back, by the link in a message.
package struct Unsubscribing: Sendable {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    /// The kind of message that a link is about, and whether its recipient has unsubscribed from it.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the token is not from this server.
    package func state(of token: String) async throws -> (kind: MessageKind, isUnsubscribed: Bool) {
        let state = try await database.read { transaction -> (kind: MessageKind, isUnsubscribed: Bool)? in
            guard let (recipient, kind) = try Self.read(token, in: transaction) else { return nil }
            return (kind, try Suppression.contains(recipient, kind, in: transaction))
        }
        guard let state else { throw Self.unknown }
        return state
    }

    /// Stores that the recipient does not want this kind of message any more.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the token is not from this server.
    package func unsubscribe(_ token: String, at now: Timestamp) async throws -> MessageKind {
        try await change(token) { try Suppression.add($0, $1, at: now, in: $2) }
    }

    /// Stores that the recipient wants this kind of message again.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the token is not from this server.
    package func resubscribe(_ token: String) async throws -> MessageKind {
        try await change(token) { try Suppression.remove($0, $1, in: $2) }
    }

    /// Stores that somebody wants all messages again, who has asked the operator for it.
    ///
    /// - Returns: The names of the kinds of messages from which the recipient had unsubscribed.
    package static func resubscribe(_ identity: Identity, in transaction: any Transaction) throws -> [String] {
        guard let secret = try MessageSecret(existing: transaction) else { return [] }
        return try Suppression.remove(secret.hash(of: identity.shown, identity.channel), in: transaction)
    }

    private func change(
        _ token: String, _ body: @escaping @Sendable (Data, MessageKind, any Transaction) throws -> Void
    ) async throws -> MessageKind {
        let kind = try await database.write { transaction -> MessageKind? in
            guard let (recipient, kind) = try Self.read(token, in: transaction) else { return nil }
            try body(recipient, kind, transaction)
            return kind
        }
        guard let kind else { throw Self.unknown }
        return kind
    }

    private static func read(
        _ token: String, in transaction: any Transaction
    ) throws -> (recipient: Data, kind: MessageKind)? {
        try MessageSecret(existing: transaction)?.read(token)
    }

    private static let unknown = ServerError(
        .notFound, "This link is not one of this server’s. Open the link from the message again.")
}
