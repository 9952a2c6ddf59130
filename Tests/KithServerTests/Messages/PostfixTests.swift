import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("A gateway to Postfix", .serialized, .skipped(if: PostfixRelay.missing))
struct PostfixTests {
    private let composer = EmailComposer(from: MailAddress("Kith <kith@kith.example>")!)  // The address is valid.

    private func with(
        authorities: (PostfixRelay) -> String? = { $0.certificate.path }, bounces: BounceAddress? = nil,
        refusing refusal: String? = nil, composer: EmailComposer? = nil,
        _ body: (PostfixRelay, SMTPGateway) async throws -> Void
    ) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let relay = try await PostfixRelay(in: folder, refusing: refusal)
        let gateway = SMTPGateway(
            SMTPGateway.Relay(
                url: "smtp://127.0.0.1:\(relay.port)", user: nil, password: nil, authorities: authorities(relay)),
            composer: composer ?? self.composer, bounces: bounces, deadline: .seconds(60))
        do {
            try await body(relay, gateway)
        } catch {
            await relay.stop()
            throw error
        }
        await gateway.rest()
        await relay.stop()
    }

    private func message(_ number: UInt8, to recipient: String) -> StoredMessage {
        StoredMessage(
            id: .numbered(number), channel: .email, kind: .code, language: "de", recipient: recipient,
            subject: "Dein Code für Kith", text: ".\n..\nFrom here: Grüße\n" + String(repeating: "x", count: 2_000),
            html: "<p>Grüße</p>\n", unsubscribe: nil, created: HandClock.start, expires: HandClock.start + .days(1))
    }

    @Test("Emails arrive in the mailbox as they were composed, over one encrypted connection") func arrive()
        async throws
    {
        try await with { relay, gateway in
            let messages = (1...3 as ClosedRange<UInt8>).map { message($0, to: "ada@example.com") }
            for message in messages { #expect(await gateway.deliver(message) == .accepted) }
            let mails = try await relay.mails(3)
            for message in messages {
                let composed = String(decoding: composer.compose(message), as: UTF8.self)
                    .replacing("\r\n", with: "\n")
                let mail = try #require(mails.first { $0.hasSuffix(composed) }, "Postfix has changed the email.")
                #expect(mail.contains("with ESMTPS id") && mail.contains("(using TLSv1."))
                #expect(mail.hasPrefix("Return-Path: <kith@kith.example>\n"))
            }
        }
    }

    @Test("Postfix understands the quotes around an address with dots in a row, as sender and as recipient")
    func quotes() async throws {
        let composer = EmailComposer(from: try #require(MailAddress("Kith <kith..test@kith.example>")))
        try await with(composer: composer) { relay, gateway in
            #expect(await gateway.deliver(message(1, to: "ada@example.com")) == .accepted)
            let mail = try #require(try await relay.mails(1).first)
            #expect(mail.contains("\nFrom: Kith <\"kith..test\"@kith.example>\n"))
            let outcome = await gateway.deliver(message(2, to: ".a..b.@example.com"))
            guard case .refused(let words) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(words.hasPrefix("550 5.1.1 <.a..b.@example.com>"), "\(words)")
        }
    }

    @Test("A recipient that Postfix does not know makes the message fail with its words") func unknown() async throws {
        try await with { _, gateway in
            guard case .refused(let words) = await gateway.deliver(message(1, to: "ben@example.com")) else {
                Issue.record("Postfix has not refused the recipient.")
                return
            }
            #expect(words.hasPrefix("550 5.1.1 <ben@example.com>"))
        }
    }

    @Test(
        "Trap: Postfix refuses the server or its sender, and says so at the recipient – the message waits",
        arguments: [
            ("reject_unlisted_sender", "ada@example.com", "550 5.1.0 <kith@kith.example>: Sender address rejected"),
            (
                "check_sender_access inline:{kith@kith.example=REJECT}", "ada@example.com",
                "554 5.7.1 <kith@kith.example>: Sender address rejected"
            ),
            (
                "check_client_access inline:{127.0.0.1=REJECT}", "ada@example.com",
                "554 5.7.1 <localhost[127.0.0.1]>: Client host rejected"
            ),
            ("reject_unauth_destination", "ada@else.example", "554 5.7.1 <ada@else.example>: Relay access denied"),
        ])
    func misconfigured(refusal: String, recipient: String, words: String) async throws {
        try await with(refusing: refusal) { _, gateway in
            let outcome = await gateway.deliver(message(1, to: recipient))
            let reason = try #require(outcome.reasonForNow, "\(outcome)")
            #expect(reason.hasPrefix(words), "\(reason)")
        }
    }

    @Test("An email that Postfix accepts and cannot deliver later comes back, and makes the message fail") func bounce()
        async throws
    {
        try await with(bounces: BounceAddress("bounces@kith.example")) { relay, gateway in
            let world = try MessageWorld()
            let message = OutgoingMessage.code(to: "gone@example.com")
            try await world.add(message)
            try await world.lane(gateway: gateway).run()
            #expect(try await world.state(of: message) == .sent)
            let report = try #require(try await relay.mails(1, of: "bounces").first)
            let outcome = try await Bounces(queue: world.queue, reports: .none, database: world.database)
                .take(Data(report.utf8))
            guard case .failed(message.id, let failure) = outcome else {
                Issue.record("\(outcome): \(report)")
                return
            }
            #expect(failure.reason == .undelivered && failure.detail?.contains("no such user") == true, "\(failure)")
            #expect(try await world.state(of: message) == .failed(failure))
        }
    }

    @Test("A Postfix whose certificate is not trusted receives nothing") func untrusted() async throws {
        try await with(authorities: { _ in nil }) { _, gateway in
            #expect(await gateway.deliver(message(1, to: "ada@example.com")).reasonForNow != nil)
        }
    }
}
