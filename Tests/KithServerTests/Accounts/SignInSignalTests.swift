import KithModel
import KithServer
import Testing

@Suite("The devices of an account hear of each sign-in") struct SignInSignalTests {
    @Test("With a code") func code() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(60))
        _ = world.signals.take()
        _ = try await world.signIn("ada@example.com", by: tablet)
        #expect(world.signals.take().changedSessions == [phone.account])
    }

    @Test("And of each new name of a device") func renaming() async throws {
        let world = try SignInWorld()
        let phone = try await world.open()
        let sessions = SessionService(database: world.database, signals: world.signals.sender)
        try await sessions.name(phone.token, SessionName(device: "Ada’s phone"))
        #expect(world.signals.take() == Signals(changedSessions: [phone.account]))
    }

    @Test("With a QR code") func pairing() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let pairing = try await world.pair(phone)
        let token = try #require(pairing.link.split(separator: "#").last.map(String.init))
        _ = try await world.pairings.use(PairingUse(token: token), by: world.requester(tablet), at: world.now)
        #expect(world.signals.take().changedSessions == [phone.account])
    }

    @Test("With a recovery code; a repeated request is no news") func recovery() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let codes = try await world.recovery.create(for: phone.account, languages: [], address: "here", at: world.now)
        let use = RecoveryCodeUse(code: try #require(codes.codes.first))
        _ = try await world.recovery.use(use, by: world.requester(tablet), at: world.now)
        #expect(world.signals.take() == Signals(changedSessions: [phone.account]))
        _ = try await world.recovery.use(use, by: world.requester(tablet), at: world.now)
        #expect(world.signals.take() == Signals())
    }

    @Test("At an issuer") func issuer() async throws {
        let world = try IssuerWorld()
        let (phone, tablet) = (try await world.base.open(), try await world.base.open())
        _ = try await world.signIn(phone)
        // The background job finds out who has brought the account.
        #expect(world.base.signals.take() == Signals(topics: [.identities], changedKinds: [phone.account]))
        _ = try await world.signIn(tablet)
        #expect(world.base.signals.take() == Signals(changedSessions: [phone.account]))
    }

    #if canImport(FIDO)
        @Test("With a passkey, in an app and on the page") func passkey() async throws {
            let (world, device) = (try PasskeyWorld(), SoftAuthenticator())
            let ada = try await world.open()
            try await world.add(device, to: ada)
            #expect(world.signals.take() == Signals(changedKinds: [ada.account]))
            let signIn = try await world.beginSignIn()
            _ = try await world.passkeys.finishSignIn(
                signIn.id, device.get(signIn.options, for: ada.account) { $0.count = 1 }, at: world.now)
            #expect(world.signals.take() == Signals(changedSessions: [ada.account]))
            let begun = try await world.beginSignIn()
            let ticket = try world.ticket(begun.page)
            let state = try await world.passkeys.open(
                PasskeyPageRequest(ticket: ticket), from: PasskeyWorld.home, at: world.now)
            let response = device.get(try #require(state.request), for: ada.account) { $0.count = 2 }
            try await world.passkeys.respond(
                PasskeyPageResponse(ticket: ticket, assertion: response), at: world.now)
            _ = try await world.passkeys.claim(PasskeyClaim(claim: begun.claim), of: begun.id, at: world.now)
            #expect(world.signals.take() == Signals(changedSessions: [ada.account]))
        }
    #endif
}
