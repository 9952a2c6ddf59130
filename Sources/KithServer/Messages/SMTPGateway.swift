import CCurl
import Foundation
import KithModel
import Synchronization

/// A gateway that hands emails to a mail relay by SMTP (RFC 5321), through libcurl.
///
/// A connection serves many emails, and ends with QUIT when none waits. The email's `Message-ID` comes from the
/// message's id: SMTP has no idempotency key, so a repeated email is recognised by the recipient's mailbox.
package final class SMTPGateway: MessageGateway {
    /// The relay, and how to sign in.
    package struct Relay: Sendable {
        /// `smtp://host:587` or `smtps://host:465`.
        package var url: String
        package var tls = RelayTLS.required
        package var user: String?
        package var password: String?
        /// A file of the certificates to trust, in PEM; nil for those of the system.
        package var authorities: String?

        package init(
            url: String, tls: RelayTLS = .required, user: String? = nil, password: String? = nil,
            authorities: String? = nil
        ) {
            self.url = url
            self.tls = tls
            self.user = user
            self.password = password
            self.authorities = authorities
        }
    }

    package let deadline: Duration
    private let relay: Relay
    private let composer: EmailComposer
    private let bounces: BounceAddress?
    private let connection = Mutex<CurlConnection?>(nil)

    /// A gateway to a relay.
    ///
    /// - Parameters:
    ///   - relay: The relay.
    ///   - composer: Writes the emails.
    ///   - bounces: Gets the reports about undelivered emails; nil for the sender of the emails.
    ///   - deadline: An email that takes longer is tried again later.
    package init(
        _ relay: Relay, composer: EmailComposer, bounces: BounceAddress? = nil, deadline: Duration = .seconds(60)
    ) {
        self.relay = relay
        self.composer = composer
        self.bounces = bounces
        self.deadline = deadline
    }

    package func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        let connection: CurlConnection
        do {
            connection = try self.connection.withLock { open in
                let current = try open ?? CurlConnection()
                open = current
                return current
            }
        } catch {
            return .refusedForNow("\(error)")
        }
        let mail = CurlConnection.Mail(
            // The path of the URL is the name of EHLO.
            url: "\(relay.url)/\(composer.from.domain)", tls: relay.tls, authorities: relay.authorities,
            user: relay.user, password: relay.password, from: sender(of: message),
            recipient: message.recipient, content: composer.compose(message))
        let result = await connection.send(mail, within: deadline)
        // After a failure, the state of the connection is unknown.
        if result.outcome != CCurlAnswered { await rest() }
        return Self.outcome(result)
    }

    /// The sender on the envelope.
    private func sender(of message: StoredMessage) -> String {
        guard let bounces, let token = message.bounceToken else { return composer.from.address.text }
        return bounces.sender(token)
    }

    package func rest() async {
        guard let open = connection.withLock({ $0.take() }) else { return }
        // Closing waits for the relay's answer to QUIT.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [open] in
                withExtendedLifetime(open) {}
                continuation.resume()
            }
        }
    }

    /// What a result means for the message.
    ///
    /// Only replies about the recipient and the content are about this message. If the relay refuses the sender, the
    /// password or the connection, the operator has to correct something, and the message waits for that.
    private static func outcome(_ result: CCurlMailResult) -> GatewayOutcome {
        let (reply, message) = (String(ofC: result.reply), String(ofC: result.message))
        if result.outcome == CCurlAnswered { return .accepted }
        if result.outcome == CCurlUntrusted {
            return .refusedForNow("The certificate of the relay is not trusted: \(message)")
        }
        if result.is_login_denied { return .refusedForNow("The relay refuses smtp-user or its password: \(reply)") }
        let isAboutMessage = result.stage.rawValue >= CCurlMailRecipient.rawValue
        let isReply = result.outcome == CCurlFailed && (400...599).contains(result.status)
        // 421 ends the connection, whatever the command was (RFC 5321, section 3.8).
        if isReply, result.status >= 500, isAboutMessage { return .refused(reply) }
        if isReply { return .refusedForNow(reply) }
        return result.stage == CCurlMailContent ? .broken(message) : .refusedForNow(message)
    }
}
