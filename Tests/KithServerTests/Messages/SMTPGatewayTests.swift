import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("A gateway to a real mail relay", .skipped(if: MailRelay.missing))
struct SMTPGatewayTests {
    private let composer = EmailComposer(from: MailAddress("Kith <kith@kith.example>")!)  // The address is valid.

    /// Runs `body` with a relay and a gateway to it, whose settings `change` changes.
    private func with(
        _ mode: MailRelay.Mode = .starttls, bounces: BounceAddress? = nil, deadline: Duration = .seconds(60),
        patience: Duration = .seconds(60), _ change: (inout SMTPGateway.Relay) -> Void = { _ in },
        _ body: (MailRelay, SMTPGateway) async throws -> Void
    ) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let relay = try await MailRelay(mode, in: folder)
        var settings = SMTPGateway.Relay(
            url: "\(mode == .implicit ? "smtps" : "smtp")://127.0.0.1:\(relay.port)", user: "kith",
            password: "pass word", authorities: relay.certificate.path)
        change(&settings)
        let gateway = SMTPGateway(
            settings, composer: composer, bounces: bounces, deadline: deadline, patience: patience)
        do {
            try await body(relay, gateway)
        } catch {
            await relay.stop()
            throw error
        }
        await gateway.rest()
        await relay.stop()
    }

    private func message(to recipient: String, _ number: UInt8 = 1) -> StoredMessage {
        StoredMessage(
            id: .numbered(number), channel: .email, kind: .code, language: "de", recipient: recipient,
            subject: "Ä\r\nBcc: eve@example.com",
            text: ".\n..\nFrom here: Grüße\n" + String(repeating: "x", count: 2_000),
            html: "<p>Grüße</p>\n", unsubscribe: nil, created: HandClock.start, expires: HandClock.start + .days(1))
    }

    @Test(
        "An email arrives as it was composed, encrypted, after signing in",
        arguments: [MailRelay.Mode.starttls, .implicit])
    func arrives(mode: MailRelay.Mode) async throws {
        try await with(mode) { relay, gateway in
            let message = message(to: "ada@example.com")
            let outcome = await gateway.deliver(message)
            #expect(outcome == .accepted)
            try await relay.wait(for: 1, "mail")
            let mail = try #require(relay.mails.first)
            #expect(mail.encrypted == true && mail.user == "kith")
            #expect(mail.sender == "kith@kith.example" && mail.recipients == ["ada@example.com"])
            #expect(mail.content == String(decoding: composer.compose(message), as: UTF8.self))
            #expect(relay.events.first?.name == "kith.example")
        }
    }

    @Test("With a bounce address, each email has a sender of its own on its envelope, and the same From") func bounces()
        async throws
    {
        try await with(bounces: BounceAddress("bounces@b.example")) { relay, gateway in
            var messages = [message(to: "ada@example.com"), message(to: "ben@example.com", 2)]
            for index in messages.indices { messages[index].bounceToken = Data(repeating: UInt8(index), count: 26) }
            for message in messages { #expect(await gateway.deliver(message) == .accepted) }
            try await relay.wait(for: 2, "mail")
            let senders = relay.mails.compactMap(\.sender)
            #expect(Set(senders).count == 2)
            #expect(BounceAddress.tokens(in: senders) == messages.map(\.bounceToken))
            #expect(senders.allSatisfy { $0.hasPrefix("bounces+") && $0.hasSuffix("@b.example") })
            #expect(relay.mails.allSatisfy { $0.content?.contains("From: Kith <kith@kith.example>\r\n") == true })
        }
    }

    @Test("Many emails share one connection, which ends with QUIT")
    func oneConnection() async throws {
        try await with { relay, gateway in
            for number in 1...5 as ClosedRange<UInt8> {
                #expect(await gateway.deliver(message(to: "a\(number)@example.com", number)) == .accepted)
            }
            await gateway.rest()
            try await relay.wait(for: 1, "quit")
            #expect(relay.mails.count == 5)
            #expect(Set(relay.events.map(\.connection)).count == 1)
        }
    }

    @Test("A relay that answers 451 and then 250 gets the same email twice, and the queue ends with sent")
    func later() async throws {
        try await with { relay, gateway in
            let world = try MessageWorld()
            try await world.add(.code(to: "later@example.com"))
            try await world.lane(gateway: gateway).run()
            #expect(try await world.state(of: .code()) == .queued && relay.mails.isEmpty)
            world.clock.advance(DeliveryRules.pauses[0])
            try await world.lane(gateway: gateway).run()
            #expect(try await world.state(of: .code()) == .sent)
            try await relay.wait(for: 1, "mail")
        }
    }

    @Test(
        "A relay that answers 5xx about the recipient or the content makes the message fail with its words",
        arguments: [
            ("nobody@example.com", "550 5.1.1 No such user"), ("spam@example.com", "554 5.7.1 Content refused"),
            (
                "wordy@example.com",
                "550 5.1.1 The account does not exist. 5.1.1 Check its spelling. 5.1.1 example"
            ),
        ])
    func refused(recipient: String, words: String) async throws {
        try await with { _, gateway in
            let outcomes = [
                await gateway.deliver(message(to: recipient)), await gateway.deliver(message(to: "ada@example.com", 2)),
            ]
            #expect(outcomes == [.refused(words), .accepted])
        }
    }

    @Test("A relay that closes the connection after the content gets the email again, with the same Message-ID")
    func dropped() async throws {
        try await with { relay, gateway in
            let world = try MessageWorld()
            try await world.add(.code(to: "drop@example.com"))
            try await world.lane(gateway: gateway).run()
            #expect(try await world.state(of: .code()) == .queued)
            world.clock.advance(DeliveryRules.pauses[0])
            try await world.lane(gateway: gateway).run()
            #expect(try await world.state(of: .code()) == .sent)
            try await relay.wait(for: 2, "mail")
            let mails = relay.mails
            #expect(mails.count == 2 && mails[0].content == mails[1].content)
            #expect(mails[0].content?.contains("\r\nMessage-ID: <\(MessageID.numbered(1))@kith.example>\r\n") == true)
        }
    }

    @Test("A relay whose certificate is not trusted receives nothing", arguments: [MailRelay.Mode.starttls, .implicit])
    func untrusted(mode: MailRelay.Mode) async throws {
        try await with(mode, { $0.authorities = nil }) { relay, gateway in
            let outcome = await gateway.deliver(message(to: "ada@example.com"))
            let words = try #require(outcome.reasonForNow, "\(outcome)")
            #expect(words.hasPrefix("The certificate of the relay is not trusted"), "\(words)")
            #expect(relay.mails.isEmpty)
        }
    }

    @Test("Without STARTTLS nothing is sent, unless the operator allows it")
    func withoutTLS() async throws {
        try await with(.plain, { ($0.user, $0.password) = (nil, nil) }) { relay, gateway in
            #expect(await gateway.deliver(message(to: "ada@example.com")).reasonForNow != nil)
            #expect(relay.mails.isEmpty)
        }
        for tls in [RelayTLS.allowed, .none] {
            try await with(.plain, { ($0.user, $0.password, $0.tls) = (nil, nil, tls) }) { relay, gateway in
                #expect(await gateway.deliver(message(to: "ada@example.com")) == .accepted)
                try await relay.wait(for: 1, "mail")
                #expect(relay.mails.map(\.encrypted) == [false])
            }
        }
    }

    @Test("A wrong password leaves the message in the queue, and is told")
    func wrongPassword() async throws {
        try await with(.starttls, { $0.password = "another" }) { relay, gateway in
            let outcome = await gateway.deliver(message(to: "ada@example.com"))
            let words = try #require(outcome.reasonForNow, "\(outcome)")
            #expect(words.hasPrefix("The relay refuses smtp-user or its password: 535"), "\(words)")
            #expect(relay.mails.isEmpty)
        }
    }

    @Test("A relay that is slow before it has the email is given up after the deadline, or as soon as the server stops")
    func slow() async throws {
        try await with(.starttls, deadline: .seconds(2)) { relay, gateway in
            let outcome = await gateway.deliver(message(to: "slow@example.com"))
            #expect(outcome == .refusedForNow("The relay was too slow to take the email."))
            #expect(relay.mails.isEmpty)
        }
        for isHalted in [false, true] {
            try await with { relay, gateway in
                let message = message(to: "slow@example.com")
                let delivery = Task { await gateway.deliver(message) }
                try await relay.wait(for: 1, "recipient")
                if isHalted { gateway.halt() } else { delivery.cancel() }
                let stopped = GatewayOutcome.refusedForNow("The server was stopped before the relay had the email.")
                #expect(await delivery.value == stopped)
                if isHalted { #expect(await gateway.deliver(message) == stopped) }
                #expect(relay.mails.isEmpty)
            }
        }
    }

    @Test("Trap: A relay has the email and answers late – it gets the email once, also if the server is to stop")
    func lateAnswer() async throws {
        // Shorter than the relay waits with its answer.
        try await with(deadline: .seconds(30)) { relay, gateway in
            let messages = [message(to: "late@example.com"), message(to: "late@example.com", 2)]
            let deliveries = messages.map { message in Task { await gateway.deliver(message) } }
            try await relay.wait(for: 2, "mail")
            gateway.halt()
            for delivery in deliveries { #expect(await delivery.value == .accepted) }
            #expect(relay.mails.count == 2)
        }
        try await with(patience: .seconds(1)) { _, gateway in
            let outcome = await gateway.deliver(message(to: "late@example.com"))
            #expect(outcome == .broken("The relay was given the email, and has not answered."))
        }
    }

    @Test("Trap: A relay answers neither the content nor QUIT – its connection is closed at once")
    func silent() async throws {
        try await with(patience: .seconds(1)) { relay, gateway in
            let outcome = await gateway.deliver(message(to: "silent@example.com"))
            guard case .broken = outcome else { throw InVain("\(outcome)") }
            // libcurl would wait for more than a minute.
            try await Limit("The connection is closed", .seconds(60)).until {
                relay.events.contains { $0.event == "closed" }
            }
            #expect(await gateway.deliver(message(to: "ada@example.com", 2)) == .accepted)
        }
    }

    @Test("Trap: A relay does not answer QUIT – the gateway rests after ten seconds")
    func mute() async throws {
        try await with { _, gateway in
            #expect(await gateway.deliver(message(to: "mute@example.com")) == .accepted)
            try await Limit("The gateway rests", .seconds(60)).wait { await gateway.rest() }
        }
    }

    @Test("An email does not wait for another one with which the relay is slow") func severalAtATime() async throws {
        try await with { relay, gateway in
            let slow = message(to: "slow@example.com")
            let delivery = Task { await gateway.deliver(slow) }
            try await relay.wait(for: 1, "recipient")
            #expect(await gateway.deliver(message(to: "ada@example.com", 2)) == .accepted)
            delivery.cancel()
            #expect(await delivery.value != .accepted)
        }
    }

    @Test("A relay that is not there leaves the message in the queue")
    func nobody() async throws {
        try await with { relay, gateway in
            await relay.stop()
            #expect(await gateway.deliver(message(to: "ada@example.com")).reasonForNow != nil)
        }
    }
}
