import KithModel
import KithServer
import Testing

@Suite("The message that a way in was added") struct WayInNoticeTests {
    @Test("A new email or number is told to the other emails of the account, not to itself, and only once")
    func identities() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        _ = try await world.signIn("ada@example.com", by: ada)
        #expect(try await world.messages(of: .wayIn).isEmpty, "The account has no other email.")
        world.clock.advance(.seconds(60))
        let sent = try await world.request("eve@example.com", by: ada)
        let code = try await world.code(of: sent)
        for _ in 0..<2 { _ = try await world.check(code, of: sent, by: ada) }
        let told = try await world.messages(of: .wayIn)
        #expect(told.map(\.to) == ["ada@example.com"])
        #expect(told[0].text.contains("eve@example.com") && told[0].text.contains("203.0.113.7"))
        world.clock.advance(.seconds(120))
        _ = try await world.signIn("eve@example.com", by: ada)
        #expect(try await world.messages(of: .wayIn).count == 1, "A known email is no new way in.")
    }

    @Test("An email that another account has adds nothing to it") func otherAccount() async throws {
        let world = try SignInWorld()
        let (ada, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: ada)
        world.clock.advance(.seconds(60))
        #expect(try await world.signIn("ada@example.com", by: tablet).account == ada.account)
        #expect(try await world.messages(of: .wayIn).isEmpty)
    }

    @Test("The five oldest emails are told, in the language of the account’s profile") func oldest() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        for name in ["zoe", "a1", "a2", "a3", "a4", "a5"] {
            _ = try await world.signIn("\(name)@example.com", by: ada)
            world.clock.advance(.seconds(60))
        }
        let before = try await world.messages(of: .wayIn).count
        try await world.setLanguage("de", of: ada)
        _ = try await world.signIn("a6@example.com", by: ada)
        let told = try await world.messages(of: .wayIn).dropFirst(before)
        #expect(Set(told.map(\.to)) == Set(["zoe", "a1", "a2", "a3", "a4"].map { "\($0)@example.com" }))
        #expect(told.allSatisfy { $0.language == "de" })
    }

    @Test("A replaced email is told that it was removed, and the others that one was added") func replaced()
        async throws
    {
        let world = try SignInWorld()
        let ada = try await world.open()
        let old = try await world.signIn("old@example.com", by: ada).identity
        _ = try await world.signIn("ada@example.com", by: ada)
        world.clock.advance(.seconds(60))
        let before = try await world.messages(of: .wayIn).count
        let sent = try await world.request("new@example.com", by: ada, replacing: old)
        _ = try await world.check(try await world.code(of: sent), of: sent, by: ada)
        #expect(try await world.messages(of: .wayIn).dropFirst(before).map(\.to) == ["ada@example.com"])
        #expect(try await world.messages(of: .identity).map(\.to) == ["old@example.com"])
    }

    @Test("Trap: Somebody requests many codes for tags of an email, and then adds a way in – the owner is told")
    func afterManyCodes() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        _ = try await world.signIn("ada@example.com", by: ada)
        for number in 1...40 {
            let stranger = try await world.open()
            try await world.request("ada+\(number)@example.com", by: stranger, from: "203.0.\(number).7")
        }
        world.clock.advance(.seconds(60))
        _ = try await world.signIn("eve@example.com", by: ada)
        #expect(try await world.messages(of: .wayIn).map(\.to) == ["ada@example.com"])
        try await world.request("ada@example.com", by: try await world.open())
    }

    @Test("A new issuer is told by its name, and so is an email that it has verified") func issuer() async throws {
        let world = try IssuerWorld { $0.vouchesForEmails = true }
        let ada = try await world.base.open()
        _ = try await world.base.signIn("ada@example.com", by: ada)
        _ = try await world.signIn(ada, as: "ada", email: "work@example.com")
        let told = try await world.base.messages(of: .wayIn)
        #expect(told.map(\.to) == ["ada@example.com"])
        #expect(told[0].text.contains("Example") && told[0].text.contains("work@example.com"))
        _ = try await world.signIn(ada, as: "ada", email: "work@example.com")
        #expect(try await world.base.messages(of: .wayIn).count == 1)
    }

    @Test("An issuer that finds the account by its email is told too") func issuerByEmail() async throws {
        let world = try IssuerWorld { $0.vouchesForEmails = true }
        let (ada, tablet) = (try await world.base.open(), try await world.base.open())
        _ = try await world.base.signIn("ada@example.com", by: ada)
        #expect(try await world.signIn(tablet, as: "eve", email: "ada@example.com").account == ada.account)
        #expect(try await world.base.messages(of: .wayIn).map(\.to) == ["ada@example.com"])
    }

    #if canImport(FIDO)
        @Test("A new passkey is told by its name, or by its domain if it has none", arguments: ["Phone", nil])
        func passkey(name: String?) async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let (keys, now) = (DiscoveryKeys(), world.now)
            try await world.database.write { transaction in
                _ = try IdentityRegister(keys: keys, at: now).add(
                    try #require(Identity("mailto:ada@example.com")), to: ada.account, in: transaction)
            }
            let device = SoftAuthenticator()
            let begun = try await world.beginAdding(ada, named: name)
            _ = try await world.passkeys.finishAdding(
                begun.id, device.create(begun.options), token: ada.token, at: world.now)
            let told = try await world.database.read { transaction in
                try transaction.query("SELECT recipient, body FROM message WHERE kind = 'wayin'").map {
                    (to: try $0.text(0), text: try $0.text(1))
                }
            }
            #expect(told.map(\.to) == ["ada@example.com"])
            #expect(told[0].text.contains("Passkey: \(name ?? "kith.example")\n"), "\(told[0].text)")
            #expect(told[0].text.contains("203.0.113.7"))
        }
    #endif
}
