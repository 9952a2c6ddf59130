import Foundation
import KithModel
import KithServer
import Testing

@Suite("A gateway to an SMS provider") struct SMSGatewayTests {
    private func sms(_ number: UInt8 = 1, to recipient: String) -> OutgoingMessage {
        var message = OutgoingMessage.code(number, to: recipient)
        message.channel = .sms
        return message
    }

    private func gateway(
        _ url: String, secret: String = SMSDouble.secret, sender: String = "+15005550006"
    ) -> SMSGateway {
        SMSGateway(
            SMSProvider(
                url: url, account: SMSDouble.account, secret: secret, sender: sender, callback: "https://kith.example"))
    }

    @Test("A message is sent with its sender, its text, its key and the address for reports")
    func sent() async throws {
        let double = SMSDouble()
        try await double.serving { url in
            let world = try MessageWorld()
            try await world.add(sms(to: "+436641234567"))
            try await world.lane(.sms, gateway: gateway(url)).run()
            #expect(try await world.state(of: .code()) == .sent)
        }
        let received = try #require(double.received.first)
        #expect(received.key == MessageID.numbered(1).description)
        #expect(
            received.form == [
                "To": "+436641234567", "From": "+15005550006",
                "Body": "123456 is your code for Kith, for 10 minutes, on Ada's phone, from Vienna. "
                    + "Never enter it anywhere else or tell it to anybody.",
                "StatusCallback": "https://kith.example/v1/messages/status?message=\(MessageID.numbered(1))",
            ])
    }

    @Test("A sender that is a messaging service has its own field")
    func service() async throws {
        let double = SMSDouble()
        let service = "MG" + String(repeating: "0", count: 32)
        try await double.serving { url in
            let world = try MessageWorld()
            try await world.add(sms(to: "+436641234567"))
            try await world.lane(.sms, gateway: gateway(url, sender: service)).run()
        }
        #expect(double.received.first?.form["MessagingServiceSid"] == service)
        #expect(double.received.first?.form["From"] == nil)
    }

    @Test("A provider that fails after it has taken the message receives it again with the same key, and sends it once")
    func repeated() async throws {
        let double = SMSDouble()
        try await double.serving { url in
            let world = try MessageWorld()
            try await world.add(sms(to: "+436640000503"))
            try await world.lane(.sms, gateway: gateway(url)).run()
            #expect(try await world.state(of: .code()) == .queued)
            world.clock.advance(DeliveryRules.pauses[0])
            try await world.lane(.sms, gateway: gateway(url)).run()
            #expect(try await world.state(of: .code()) == .sent)
        }
        #expect(double.received.count == 1)
    }

    @Test("A number that the provider refuses makes the message fail; too many requests and a wrong secret do not")
    func refused() async throws {
        let double = SMSDouble()
        try await double.serving { url in
            let world = try MessageWorld()
            try await world.add(sms(1, to: "+436640000400"))
            try await world.add(sms(2, to: "+436640000429"))
            try await world.lane(.sms, gateway: gateway(url)).run()
            let failure = MessageFailure(.refused, "21211 Invalid 'To'")
            #expect(try await world.state(of: sms(1, to: "")) == .failed(failure))
            #expect(try await world.state(of: sms(2, to: "")) == .queued)
            try await world.add(sms(3, to: "+436641234567"))
            try await world.lane(.sms, gateway: gateway(url, secret: "another")).run()
            #expect(try await world.state(of: sms(3, to: "")) == .queued)
        }
        #expect(double.received.isEmpty)
    }

    @Test("If the provider cannot be reached, the message stays in the queue")
    func nobody() async throws {
        let world = try MessageWorld()
        try await world.add(sms(to: "+436641234567"))
        try await world.lane(.sms, gateway: gateway("http://127.0.0.1:1")).run()
        #expect(try await world.state(of: .code()) == .queued)
    }
}

@Suite("SHA-1") struct SHA1Tests {
    @Test(
        "Has the values of RFC 3174",
        arguments: [
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"), ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (String(repeating: "01234567", count: 80), "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
        ])
    func hash(text: String, expected: String) { #expect(Hex.text(SHA1.hash(Data(text.utf8))) == expected) }

    @Test("Its HMAC has the values of RFC 2202")
    func hmac() {
        func hmac(_ text: String, _ key: Data) -> String { Hex.text(SHA1.hmac(Data(text.utf8), key: key)) }
        #expect(
            hmac("what do ya want for nothing?", Data("Jefe".utf8)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            hmac("Test Using Larger Than Block-Size Key - Hash Key First", Data(repeating: 0xAA, count: 80))
                == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
    }
}
