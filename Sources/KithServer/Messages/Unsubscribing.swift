import Foundation
package import KithModel

/// Lets the recipients of messages unsubscribe, by the link in a message.
package struct Unsubscribing: Sendable {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    /// The kind of message that a link is about.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the token is not from this server.
    package func kind(of token: String) async throws -> MessageKind {
        guard let kind = try await database.read({ try Self.read(token, in: $0)?.kind }) else { throw Self.unknown }
        return kind
    }

    /// Stores that the recipient does not want this kind of message any more.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the token is not from this server.
    package func unsubscribe(_ token: String, at now: Timestamp) async throws -> MessageKind {
        let kind = try await database.write { transaction -> MessageKind? in
            guard let (recipient, kind) = try Self.read(token, in: transaction) else { return nil }
            try Suppression.add(recipient, kind, at: now, in: transaction)
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
