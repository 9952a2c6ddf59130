import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Bounces") struct BounceTests {
    private static let address = BounceAddress("bounces@kith.example")!  // The address is valid.

    /// Delivers the queued message, and returns the sender on its envelope.
    private func deliver(_ world: MessageWorld) async throws -> String {
        try await world.lane().run()
        return Self.address.sender(try #require(world.gateway.received.last?.bounceToken))
    }

    private func take(_ report: String, _ world: MessageWorld, to recipient: String? = nil) async throws
        -> Bounces.Outcome
    {
        try await Bounces(queue: world.queue, reports: world.reports, database: world.database)
            .take(Data(report.utf8), to: recipient)
    }

    @Test("A report of a permanent failure makes the message fail with the words of the mail server, once") func fails()
        async throws
    {
        var world = try MessageWorld()
        let told = Mutex<[FailedMessage]>([])
        world.reports = FailureReports(signals: .none) { message, _ in
            told.withLock { $0.append(message) }
            return nil
        }
        try await world.add(.code())
        let sender = try await deliver(world)
        #expect(try await world.state(of: .code()) == .sent)
        let failure = MessageFailure(
            .undelivered, "550 5.1.1 <gone@example.net>: Recipient address rejected: User unknown")
        let report = DeliveryReports.postfix(to: sender)
        #expect(try await take(report, world) == .failed(OutgoingMessage.code().id, failure))
        #expect(try await world.state(of: .code()) == .failed(failure))
        #expect(try await take(report, world) == .known(OutgoingMessage.code().id))
        #expect(told.withLock { $0.map(\.failure) } == [failure])
    }

    @Test("The address is found in the header, in any case, and is taken from the mail server if it names it")
    func recipients() async throws {
        for write in [DeliveryReports.nested(to:), DeliveryReports.unfinished(to:), DeliveryReports.global(to:)] {
            let world = try MessageWorld()
            try await world.add(.code())
            let sender = try await deliver(world)
            guard case .failed = try await take(write(sender.uppercased()), world) else {
                Issue.record("\(write(sender)) was not taken.")
                return
            }
        }
        let world = try MessageWorld()
        try await world.add(.code())
        let sender = try await deliver(world)
        let report = DeliveryReports.nested(to: "undisclosed-recipients:;")
        #expect(try await take(report, world) == .ignored)
        guard case .failed = try await take(report, world, to: sender) else {
            Issue.record("The named address was not taken.")
            return
        }
    }

    @Test("A delay and an email that is no report change nothing") func ignored() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        let sender = try await deliver(world)
        let delay = DeliveryReports.postfix(to: sender, status: "4.4.1", action: "delayed")
        for email in [delay, "To: \(sender)\n\nI am on holiday. 5.1.1\n", ""] {
            #expect(try await take(email, world) == .ignored)
        }
        #expect(try await world.state(of: .code()) == .sent)
    }

    @Test("Trap: Somebody fails the messages of others with forged reports – a token is signed, and names one message")
    func forged() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        try await world.add(.code(2, to: "eve@example.com"))
        try await world.lane().run()
        let tokens = world.gateway.received.compactMap(\.bounceToken)
        #expect(Set(tokens).count == 2)
        // Eve knows the signature of her own message, and the ids of both, which the Message-ID shows.
        let (adas, eves) = (tokens[0], tokens[1])
        var changed = adas
        changed[changed.count - 1] ^= 1
        for token in [adas.prefix(16) + eves.suffix(10), adas.prefix(16) + Data(count: 10), changed] {
            #expect(try await take(DeliveryReports.postfix(to: Self.address.sender(token)), world) == .ignored)
        }
        for token in ["", "a", String(repeating: "a", count: 42), String(repeating: "a", count: 5_000)] {
            #expect(try await take(DeliveryReports.postfix(to: "bounces+\(token)@kith.example"), world) == .ignored)
        }
        #expect(try await world.state(of: .code()) == .sent)
        guard case .failed = try await take(DeliveryReports.postfix(to: Self.address.sender(adas)), world) else {
            Issue.record("The right token was not taken.")
            return
        }
    }

    @Test("A report to a server that has sent nothing is ignored") func nothingSent() async throws {
        let world = try MessageWorld()
        let report = DeliveryReports.postfix(to: Self.address.sender(Data(count: 26)))
        #expect(try await take(report, world) == .ignored)
    }

    @Test(
        "An address is one with room for a token before the @",
        arguments: [
            ("bounces@example.org", true), ("Bounces@Example.org", true), ("a23456789012345678901@example.org", true),
            ("a234567890123456789012@example.org", false), ("bounces+x@example.org", false), ("bounces", false),
            ("jörg@example.org", false),
        ])
    func addresses(text: String, isAddress: Bool) throws {
        #expect((BounceAddress(text) != nil) == isAddress)
        let sender = BounceAddress(text)?.sender(Data(repeating: 0xFF, count: 26)) ?? "a@"
        #expect(sender.prefix { $0 != "@" }.utf8.count <= 64)
    }

    @Test("A token is read as it was written", arguments: [0x00, 0xFF, 0xA5] as [UInt8]) func tokens(byte: UInt8) {
        let token = Data((0..<26).map { $0 * 7 ^ byte })
        #expect(BounceAddress.tokens(in: ["<\(Self.address.sender(token))>"]) == [token])
    }

    @Test("A bounce that another process takes turns the invitation to failed, and the inviter’s devices are told")
    func invitation() throws {
        let world = try InvitationWorld()
        var ada = try world.person("Ada")
        try ada.sync(ada.invite("mailto:ben@example.com"))
        try world.work()
        try world.bounceElsewhere(MessageFailure(.undelivered, "550 no such user"))
        let signals = try world.work()
        #expect(signals.moved.contains(ada.home))
        try ada.sync()
        let failed = try ada.invitation()
        #expect(failed.status == .failed && failed.failure?.reason == .undelivered)
        #expect(failed.failure?.detail == "550 no such user")
    }

    @Test("A bounce that another process takes does not keep an account from its invitation") func toldLater() throws {
        let world = try InvitationWorld()
        var (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.invite("mailto:ben@example.com"))
        try world.work()
        try world.bounceElsewhere(MessageFailure(.undelivered))
        // The job finds both: the failure, and the account that has got the email.
        try world.prove("mailto:ben@example.com", by: ben)
        try world.work()
        try ada.sync()
        try ben.sync()
        #expect(try ada.invitation().status == .failed)
        #expect(try ben.invitation().recipient == Identity("mailto:ben@example.com"))
    }
}
