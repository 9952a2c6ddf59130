package import Foundation
import KithModel

/// Takes the reports of the SMS provider about messages that it has accepted.
package struct MessageStatus: Sendable {
    private let queue: MessageQueue
    private let reports: FailureReports
    private let database: any Database
    /// The secret of the account at the provider; nil if there is none.
    private let secret: String?

    package init(queue: MessageQueue, reports: FailureReports, database: any Database, secret: String?) {
        self.queue = queue
        self.reports = reports
        self.database = database
        self.secret = secret
    }

    /// The largest report, in bytes.
    package static let size = 16 << 10

    /// Takes a report: `failed` and `undelivered` mark the message as failed. Other states change nothing.
    ///
    /// - Parameters:
    ///   - body: The form that was sent.
    ///   - id: The message, from the address of the call-back.
    ///   - url: The whole address of the call-back, as it was sent to the provider.
    ///   - signature: The header `X-Twilio-Signature`.
    /// - Throws: ``ServerError`` with the code `forbidden` if the signature is not the provider's.
    package func take(_ body: Data, about id: MessageID, at url: String, signedBy signature: String?) async throws {
        guard let secret, let signature, let form = FormFields(body),
            SMSProvider.isSigned(form, at: url, by: signature, secret: secret)
        else {
            throw ServerError(
                .forbidden,
                "The signature is not that of the SMS provider. Check sms-secret-file and public-url of the server.")
        }
        guard let status = form["MessageStatus"], ["failed", "undelivered"].contains(status) else { return }
        let detail = [status, form["ErrorCode"]].compactMap(\.self).joined(separator: " ")
        try await reports.commit(in: database) { [queue] in
            ((), try queue.fail(id, MessageFailure(.undelivered, detail), in: $0))
        }
    }
}
