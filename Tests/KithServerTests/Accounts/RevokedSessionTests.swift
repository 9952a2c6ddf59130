import KithModel
import KithServer
import Testing

/// Repeating a request is for lost answers. It is not a way back for a device whose session was closed.
@Suite("A device whose session was closed does not come back by repeating its sign-in") struct RevokedSessionTests {
    private func close(_ token: String, _ world: SignInWorld, by session: NewSession) async throws {
        try await world.sessions.close(SessionID(token: token), of: session.account)
    }

    @Test("With a code") func code() async throws {
        let world = try SignInWorld()
        let (phone, eve) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(60))
        let sent = try await world.request("ada@example.com", by: eve)
        let code = try await world.code(of: sent)
        let token = try #require(try await world.check(code, of: sent, by: eve).token)
        try await close(token, world, by: phone)
        #expect(await errorCode { try await world.check(code, of: sent, by: eve) } == .codeExpired)
        #expect(try await world.sessions.list(of: phone.account, by: phone.token).sessions.count == 1)
    }

    @Test("With a QR code") func pairing() async throws {
        let world = try SignInWorld()
        let (phone, eve) = (try await world.open(), try await world.open())
        let pairing = try await world.pair(phone)
        let use = PairingUse(token: String(try #require(pairing.link.split(separator: "#").last)))
        let token = try await world.pairings.use(use, by: world.requester(eve), at: world.now).token
        try await close(token, world, by: phone)
        #expect(
            await errorCode { try await world.pairings.use(use, by: world.requester(eve), at: world.now) }
                == .codeExpired)
        #expect(try await world.sessions.list(of: phone.account, by: phone.token).sessions.count == 1)
    }

    @Test("With a recovery code") func recovery() async throws {
        let world = try SignInWorld()
        let (phone, eve) = (try await world.open(), try await world.open())
        let codes = try await world.recovery.create(
            for: phone.account, languages: [], address: "203.0.113.7", at: world.now
        ).codes
        let use = RecoveryCodeUse(code: codes[0])
        let token = try #require(try await world.recovery.use(use, by: world.requester(eve), at: world.now).token)
        try await close(token, world, by: phone)
        #expect(
            await errorCode { try await world.recovery.use(use, by: world.requester(eve), at: world.now) } == .codeWrong
        )
        #expect(try await world.sessions.list(of: phone.account, by: phone.token).sessions.count == 1)
    }
}
