import KithModel
import KithServer
import Testing

@Suite("Adding a device by a QR code") struct PairingServiceTests {
    /// The token in the link.
    private func token(_ pairing: Pairing) throws -> String {
        String(try #require(pairing.link.split(separator: "#").last))
    }

    private func make(_ world: SignInWorld, by session: NewSession) async throws -> Pairing {
        try await world.pair(session)
    }

    private func use(
        _ pairing: Pairing, _ world: SignInWorld, by session: NewSession, device: String? = "Ada’s tablet"
    ) async throws -> PairedSession {
        try await world.pairings.use(
            PairingUse(token: try token(pairing), device: device), by: world.requester(session), at: world.now)
    }

    @Test("The new device gets a session of the same account, and its own session stays open")
    func newSession() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await make(world, by: phone)
        #expect(pairing.link.hasPrefix("https://kith.example/pair#"))
        let paired = try await use(pairing, world, by: tablet)
        #expect(paired.account == phone.account && paired.kind == "anonymous")
        #expect(try await world.sessions.verify(paired.token)?.account == phone.account)
        #expect(try await world.sessions.verify(tablet.token)?.account == tablet.account)
        let sessions = try await world.sessions.list(of: phone.account, by: phone.token).sessions
        #expect(sessions.map(\.device).contains("Ada’s tablet") && sessions.count == 2)
        let status = try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now)
        #expect(status.state == .used && status.device == "Ada’s tablet")
        #expect(sessions.map(\.id).contains(try #require(status.session)))
    }

    @Test("A QR code works once: afterwards no other session can use it") func once() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let eve = try await world.open()
        let pairing = try await make(world, by: phone)
        _ = try await use(pairing, world, by: tablet)
        #expect(await errorCode { try await use(pairing, world, by: eve) } == .codeExpired)
        #expect(try await world.sessions.list(of: phone.account, by: phone.token).sessions.count == 2)
    }

    @Test(
        "After a lost answer the same session uses it again, and gets the same token; one message is sent"
    )
    func repeated() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        let pairing = try await make(world, by: phone)
        let lost = try await use(pairing, world, by: tablet)
        let received = try await use(pairing, world, by: tablet)
        #expect(received.kind == "identified")
        #expect(received.token == lost.token)
        #expect(try await world.sessions.verify(received.token)?.account == phone.account)
        #expect(try await world.sessions.list(of: phone.account, by: phone.token).sessions.count == 2)
        #expect(try await world.recipients(of: .device) == ["ada@example.com"])
    }

    @Test("A repeated use without a name keeps the name that the device has given before") func repeatedWithoutName()
        async throws
    {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await make(world, by: phone)
        _ = try await use(pairing, world, by: tablet)
        _ = try await use(pairing, world, by: tablet, device: nil)
        let status = try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now)
        #expect(status.device == "Ada’s tablet")
    }

    @Test("The five oldest emails receive the message, so that an attacker cannot add emails in their place")
    func oldestEmails() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        for name in ["zoe", "a1", "a2", "a3", "a4", "a5"] {
            _ = try await world.signIn("\(name)@example.com", by: phone)
            world.clock.advance(.seconds(1))
        }
        _ = try await use(try await make(world, by: phone), world, by: tablet)
        #expect(
            try await world.recipients(of: .device).sorted()
                == ["a1", "a2", "a3", "a4", "zoe"].map { "\($0)@example.com" })
    }

    @Test("Trap: A QR code of a clock that was ahead is valid until the clock has caught up – it has expired")
    func clockAhead() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        world.clock.advance(.days(365))
        let pairing = try await make(world, by: phone)
        world.clock.advance(.days(-365))
        let status = try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now)
        #expect(status.state == .expired)
        #expect(await errorCode { try await use(pairing, world, by: tablet) } == .codeExpired)
    }

    @Test("A QR code ends after ten minutes, with the next one of its session, and when its session is closed")
    func ends() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let first = try await make(world, by: phone)
        let second = try await make(world, by: phone)
        #expect(await errorCode { try await use(first, world, by: tablet) } == .codeExpired)
        world.clock.advance(.seconds(600))
        #expect(await errorCode { try await use(second, world, by: tablet) } == .codeExpired)
        let status = try await world.pairings.status(of: second.id, of: phone.account, at: world.now)
        #expect(status.state == .expired)
        let third = try await make(world, by: phone)
        try await world.sessions.close(phone.token)
        #expect(await errorCode { try await use(third, world, by: tablet) } == .codeExpired)
    }

    @Test("Its account can end it, and no other account sees or ends it") func ended() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await make(world, by: phone)
        #expect(
            await errorCode {
                try await world.pairings.status(of: pairing.id, of: tablet.account, at: world.now)
            } == .notFound)
        try await world.pairings.end(pairing.id, of: tablet.account)
        #expect(try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now).state == .open)
        try await world.pairings.end(pairing.id, of: phone.account)
        #expect(await errorCode { try await use(pairing, world, by: tablet) } == .codeExpired)
        #expect(
            await errorCode {
                try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now)
            } == .notFound)
    }

    @Test("A device that is already signed in to the account is refused, and the QR code stays usable")
    func sameAccount() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await make(world, by: phone)
        #expect(await errorCode { try await use(pairing, world, by: phone) } == .conflict)
        #expect(try await use(pairing, world, by: tablet).account == phone.account)
    }

    @Test("A device that has used it, and uses it again with the session that it got, is told that it is signed in")
    func usedByThis() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await make(world, by: phone)
        let paired = try await use(pairing, world, by: tablet)
        let again = NewSession(account: paired.account, token: paired.token, server: paired.server)
        #expect(await errorCode { try await use(pairing, world, by: again) } == .conflict)
    }

    @Test("The database does not have the token, and a wrong token opens no session") func secrets() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await make(world, by: phone)
        let hashes = try await world.database.read { try $0.query("SELECT hash FROM pairing").map { try $0.bytes(0) } }
        #expect(hashes == [Secret.sha256(try token(pairing))])
        let guess = PairingUse(token: try token(pairing).reversed().map(String.init).joined())
        #expect(
            await errorCode { try await world.pairings.use(guess, by: world.requester(tablet), at: world.now) }
                == .codeExpired)
        let long = String(repeating: "x", count: Limits.deviceName + 1)
        #expect(await errorCode { try await use(pairing, world, by: tablet, device: long) } == .malformed)
    }

    @Test("An account makes at most 100 QR codes a day") func limit() async throws {
        let world = try SignInWorld()
        let phone = try await world.open()
        for _ in 0..<100 { _ = try await make(world, by: phone) }
        #expect(await errorCode { try await make(world, by: phone) } == .quotaExceeded)
        let usable = try await world.database.read {
            try $0.query("SELECT count(*) FROM pairing WHERE used_by IS NULL")[0].integer(0)
        }
        #expect(usable == 1, "A session has one pairing at a time.")
    }

    @Test("A pairing that ended with its session is gone for the other sessions") func endedWithSession() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let session = try await use(try await make(world, by: phone), world, by: tablet)
        let pairing = try await world.pairings.make(
            for: phone.account,
            by: Requester(.session(phone.account), token: session.token, address: IPAddress("203.0.113.7")!),
            address: "https://kith.example", at: world.now)
        #expect(try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now).state == .open)
        try await world.sessions.close(session.token)
        let code = await errorCode {
            try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now)
        }
        #expect(code == .notFound)
    }

    @Test("A deleted account leaves no pairing, and those of the day before are deleted") func forgotten() async throws
    {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await make(world, by: phone)
        _ = try await make(world, by: tablet)
        try await AccountService(database: world.database, signals: .none).delete(phone.account, at: world.now)
        #expect(try await world.count("pairing") == 1)
        try await Housekeeping(database: world.database, signals: .none).purge(world.now + .days(2))
        #expect(try await world.count("pairing") == 0)
    }
}
