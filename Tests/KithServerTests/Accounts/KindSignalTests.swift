import KithModel
import KithServer
import Testing

@Suite("The devices of an account hear that its kind has changed") struct KindSignalTests {
    private static let (ada, grace) = (Identity("mailto:ada@example.com"), Identity("mailto:grace@example.com"))

    @Test("The first proved email makes the account identified; another one changes nothing") func added() async throws
    {
        let world = try SignInWorld()
        let phone = try await world.open()
        _ = try await world.signIn("ada@example.com", by: phone)
        #expect(world.signals.take().changedKinds == [phone.account])
        world.clock.advance(.seconds(60))
        _ = try await world.signIn("grace@example.com", by: phone)
        #expect(world.signals.take().changedKinds.isEmpty)
    }

    @Test("Replacing the only email changes nothing") func replaced() async throws {
        let world = try SignInWorld()
        let phone = try await world.open()
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(60))
        _ = world.signals.take()
        let sent = try await world.request("grace@example.com", by: phone, replacing: Self.ada)
        _ = try await world.check(try await world.code(of: sent), of: sent, by: phone)
        #expect(world.signals.take().changedKinds.isEmpty)
        #expect(try await world.sessions.verify(phone.token)?.kind == "identified")
    }

    @Test("The removal of the last email makes the account anonymous") func removed() async throws {
        let world = try SignInWorld()
        let phone = try await world.open()
        for email in ["ada@example.com", "grace@example.com"] {
            _ = try await world.signIn(email, by: phone)
            world.clock.advance(.seconds(60))
        }
        _ = world.signals.take()
        try await world.remove(try #require(Self.ada), of: phone, evenLast: false)
        #expect(world.signals.take().changedKinds.isEmpty)
        try await world.remove(try #require(Self.grace), of: phone, evenLast: true)
        #expect(world.signals.take().changedKinds == [phone.account])
        #expect(try await world.sessions.verify(phone.token)?.kind == "anonymous")
    }

    @Test("The removal of the last identity at an issuer makes the account anonymous") func issuer() async throws {
        let world = try IssuerWorld()
        let phone = try await world.base.open()
        _ = try await world.signIn(phone)
        _ = world.base.signals.take()
        let id = try #require(try await world.service.identities(of: phone.account).first?.id)
        try await world.service.remove(id, of: phone.account, evenLast: true)
        #expect(world.base.signals.take().changedKinds == [phone.account])
    }

    #if canImport(FIDO)
        @Test("The removal of the last passkey makes the account anonymous") func passkey() async throws {
            let (world, device) = (try PasskeyWorld(), SoftAuthenticator())
            let ada = try await world.open()
            let passkey = try await world.add(device, to: ada)
            _ = world.signals.take()
            try await world.passkeys.remove(passkey.id, of: ada.account, evenLast: true)
            #expect(world.signals.take() == Signals(changedKinds: [ada.account]))
        }
    #endif
}
