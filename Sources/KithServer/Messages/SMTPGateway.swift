import CCurl
import Foundation
import KithModel
import Synchronization

/// A gateway that hands emails to a mail relay by SMTP (RFC 5321), through libcurl.
///
/// A connection serves many emails, and ends with QUIT when none waits. The email's `Message-ID` comes from the
/// message's id: SMTP has no idempotency key, so a repeated email is recognised by the recipient's mailbox.
///
/// A relay that has the whole email may have accepted it. So it is given up only after a long time (RFC 5321, section
/// 4.5.3.2.6), because the email would arrive twice. Several connections keep one slow relay, or one slow email, from stopping
/// all others.
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
    package let patience: Duration
    package let width = 4
    private let relay: Relay
    private let composer: EmailComposer
    private let bounces: BounceAddress?
    private let connections = Mutex(Connections())

    /// The connections to the relay.
    private struct Connections {
        /// Those that are open and deliver nothing.
        var idle: [CurlConnection] = []
        /// Those that deliver a message.
        var busy: [CurlConnection] = []
        /// Those whose state is unknown after a failure, and which are to be closed.
        var failed: [CurlConnection] = []
        /// Whether the server stops.
        var isHalted = false
    }

    /// A gateway to a relay.
    ///
    /// - Parameters:
    ///   - relay: The relay.
    ///   - composer: Writes the emails.
    ///   - bounces: Gets the reports about undelivered emails; nil for the sender of the emails.
    ///   - deadline: An email that the relay has not received by then is tried again later.
    ///   - patience: The limit for the relay's answer after it has the whole email.
    package init(
        _ relay: Relay, composer: EmailComposer, bounces: BounceAddress? = nil, deadline: Duration = .seconds(60),
        patience: Duration = .seconds(10 * 60)
    ) {
        self.relay = relay
        self.composer = composer
        self.bounces = bounces
        self.deadline = deadline
        self.patience = patience
    }

    package func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        let mail = CurlConnection.Mail(
            // The path of the URL is the name of EHLO.
            url: "\(relay.url)/\(composer.from.domain)", tls: relay.tls.level, authorities: relay.authorities,
            user: relay.user, password: relay.password, from: sender(of: message),
            recipient: message.mailbox, content: composer.compose(message))
        do {
            guard let result = try await send(mail) else { return Self.stopped }
            closeFailed()
            return Self.outcome(result, of: mail)
        } catch {
            return .refusedForNow("\(error)")
        }
    }

    /// Sends an email on a connection that delivers nothing else; returns nil if the server stops. Afterwards only
    /// ``Connections`` refers to the connection.
    private func send(_ mail: CurlConnection.Mail) async throws -> CCurlMailResult? {
        guard let connection = try takeConnection() else { return nil }
        let result = await connection.send(mail, within: deadline, and: patience)
        connections.withLock { connections in
            connections.busy.removeAll { $0 === connection }
            if result.outcome == CCurlAnswered {
                connections.idle.append(connection)
            } else {
                connections.failed.append(connection)
            }
        }
        return result
    }

    /// A connection that delivers nothing else; nil if the server stops.
    private func takeConnection() throws -> CurlConnection? {
        try connections.withLock { connections in
            if connections.isHalted { return nil }
            let connection = try connections.idle.popLast() ?? CurlConnection()
            connections.busy.append(connection)
            return connection
        }
    }

    /// The sender on the envelope.
    private func sender(of message: StoredMessage) -> String {
        guard let bounces, let token = message.bounceToken else { return composer.from.address.mailbox }
        return bounces.sender(token)
    }

    package func rest() async {
        if connections.withLock({ $0.idle.isEmpty }) { return }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                releaseIdle()
                continuation.resume()
            }
        }
    }

    /// Closes the idle connections. That waits for the relay's answer to QUIT, so it has a thread of its own.
    private func releaseIdle() {
        let idle = connections.withLock { connections in
            defer { connections.idle = [] }
            return connections.idle
        }
        withExtendedLifetime(idle) {}
    }

    /// Closes the failed connections on a thread of its own, because libcurl could wait.
    private func closeFailed() {
        if connections.withLock({ $0.failed.isEmpty }) { return }
        Thread.detachNewThread { [self] in releaseFailed() }
    }

    private func releaseFailed() {
        let failed = connections.withLock { connections in
            defer { connections.failed = [] }
            return connections.failed
        }
        withExtendedLifetime(failed) {}
    }

    package func halt() {
        connections.withLock { connections in
            connections.isHalted = true
            for connection in connections.busy { connection.halt() }
        }
    }

    private static let tooSlow = GatewayOutcome.refusedForNow("The relay was too slow to take the email.")
    private static let stopped = GatewayOutcome.refusedForNow("The server was stopped before the relay had the email.")

    /// What a result means for the message.
    ///
    /// Only replies about the recipient and the content are about this message. If the relay refuses the sender, the
    /// password or the connection, the operator has to correct something, and the message waits for that. Some relays do that
    /// when the recipient is named.
    private static func outcome(_ result: CCurlMailResult, of mail: CurlConnection.Mail) -> GatewayOutcome {
        let (reply, message) = (String(ofC: result.reply), String(ofC: result.message))
        if result.outcome == CCurlAnswered { return .accepted }
        if result.outcome == CCurlUntrusted {
            return .refusedForNow("The certificate of the relay is not trusted: \(message)")
        }
        if result.is_login_denied { return .refusedForNow("The relay refuses smtp-user or its password: \(reply)") }
        let refusal = RelayReply(code: result.status, text: reply)
        let isAboutServer =
            result.stage == CCurlMailRecipient
            ? refusal.isAboutServer(sender: mail.from, recipient: mail.recipient)
            : result.stage.rawValue < CCurlMailRecipient.rawValue
        let isReply = result.outcome == CCurlFailed && (400...599).contains(result.status)
        // 421 ends the connection, whatever the command was (RFC 5321, section 3.8).
        if isReply, result.status >= 500, !isAboutServer { return .refused(reply) }
        if isReply { return .refusedForNow(reply) }
        let isHandedOver = result.stage == CCurlMailHandedOver
        switch result.outcome {
        case CCurlTimedOut:
            return isHandedOver ? .broken("The relay was given the email, and has not answered.") : tooSlow
        case CCurlCancelled:
            return isHandedOver ? .broken("The server was stopped before the relay answered.") : stopped
        default: return isHandedOver ? .broken(message) : .refusedForNow(message)
        }
    }
}
