package import Foundation
package import KithModel

/// Takes bounces: the emails in which mail servers say that they could not deliver a message which the relay had
/// accepted.
///
/// A bounce names its message by the address that it was sent to: see ``BounceAddress``. Its token is signed, so nobody
/// can fail the message of another recipient. Whoever has received a message knows its token, and can fail that one.
package struct Bounces: Sendable {
    /// What has become of a bounce.
    package enum Outcome: Hashable, Sendable {
        /// The message has failed because of it.
        case failed(MessageID, MessageFailure)
        /// It changes nothing: the message had failed before, or is not known any more.
        case known(MessageID)
        /// It changes nothing: the email is no report of a permanent failure, or is about no message of this server.
        case ignored
    }

    private let queue: MessageQueue
    private let reports: FailureReports
    private let database: any Database

    package init(queue: MessageQueue, reports: FailureReports, database: any Database) {
        (self.queue, self.reports, self.database) = (queue, reports, database)
    }

    /// Takes an email that was sent to the bounce address.
    ///
    /// - Parameters:
    ///   - email: The email with its header.
    ///   - recipient: The address that it was sent to; nil to find it in the header.
    /// - Returns: What has become of it.
    /// - Throws: An error of the database. Then take the email again later.
    package func take(_ email: Data, to recipient: String? = nil) async throws -> Outcome {
        guard let report = DeliveryReport(email), let failure = report.failure else { return .ignored }
        let tokens = BounceAddress.tokens(in: [recipient].compactMap(\.self) + report.recipients)
        let words = MessageFailure(.undelivered, failure.diagnostic)
        return try await reports.commit(in: database) { [queue] transaction -> (Outcome, FailedMessage?) in
            guard let secret = try MessageSecret(existing: transaction),
                let id = tokens.lazy.compactMap({ secret.message(ofBounce: $0) }).first
            else { return (.ignored, nil) }
            switch try queue.state(of: id, in: transaction) {
            case nil, .failed: return (.known(id), nil)
            case .queued, .sent: return (.failed(id, words), try queue.fail(id, words, in: transaction))
            }
        }
    }
}
