#if canImport(FIDO)
    import Foundation
    import KithModel
    import KithServer
    import Testing

    @Suite("Passkeys") struct PasskeyServiceTests {
        private let phone = SoftAuthenticator()

        @Test("A passkey is added to an anonymous account, and opens a session of it elsewhere") func roundTrip()
            async throws
        {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let begun = try await world.beginAdding(ada)
            #expect(begun.options.rp.id == "kith.example" && begun.options.user.name == "Kith")
            #expect(begun.options.pubKeyCredParams.map(\.alg) == [-8, -7, -257])
            #expect(begun.page?.hasPrefix("https://kith.example/passkey#") == true)
            let added = try await world.passkeys.finishAdding(
                begun.id, phone.create(begun.options), token: ada.token, at: world.now)
            #expect(try await world.kind(ada) == "identified")
            #expect(try await world.passkeys.list(of: ada.account).passkeys == [added])
            #expect(added.name == "Phone" && added.used == nil && !added.isSynced)

            world.clock.advance(.seconds(60))
            let signIn = try await world.beginSignIn()
            let session = try await world.passkeys.finishSignIn(
                signIn.id, phone.get(signIn.options, for: ada.account), at: world.now)
            #expect(session.account == ada.account && session.token != ada.token)
            #expect(try await world.kind(session) == "identified")
            let devices = try await world.sessions.list(of: ada.account, by: session.token).sessions
            #expect(devices.map(\.device) == [nil, "Tablet"])
            #expect(try await world.passkeys.list(of: ada.account).passkeys.map(\.used) == [world.now])
        }

        @Test("No passkey is added to an account that is deleted while its answer is verified") func deletedMeanwhile()
            async throws
        {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let passkeys = world.passkeys(
                InterruptedVerifier { [database = world.database, now = world.now] in
                    try? database.writeNow { try AccountService.delete(ada.account, at: now, in: $0) }
                })
            let begun = try await world.beginAdding(ada)
            let code = await errorCode {
                try await passkeys.finishAdding(
                    begun.id, phone.create(begun.options), token: ada.token, at: world.now)
            }
            #expect(code == .notFound)
            #expect(try await world.count("passkey") == 0)
        }

        @Test("The options exclude the passkeys that the account has") func excluded() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            try await world.add(phone, to: ada)
            let begun = try await world.beginAdding(ada)
            #expect(begun.options.excludeCredentials == [PasskeyDescriptor(id: PasskeyBytes(phone.credential))])
        }

        @Test("Trap: A challenge is used twice – after any answer, right or wrong, it is gone") func onceOnly()
            async throws
        {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            try await world.add(phone, to: ada)
            for breaks in [true, false] {
                let begun = try await world.beginSignIn()
                let first = phone.get(begun.options, for: ada.account) {
                    $0.count = 7
                    $0.breaksSignature = breaks
                }
                let code = await errorCode { try await world.passkeys.finishSignIn(begun.id, first, at: world.now) }
                #expect(code == (breaks ? .passkeyRefused : nil))
                let second = phone.get(begun.options, for: ada.account) { $0.count = 8 }
                #expect(
                    await errorCode { try await world.passkeys.finishSignIn(begun.id, second, at: world.now) }
                        == .notFound)
            }
        }

        @Test("A challenge of a clock that was ahead has expired") func clockAhead() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            world.clock.advance(.days(365))
            let begun = try await world.beginAdding(ada)
            world.clock.advance(.days(-365))
            let found = await errorCode {
                try await world.passkeys.finishAdding(
                    begun.id, SoftAuthenticator().create(begun.options), token: ada.token, at: world.now)
            }
            #expect(found == .notFound)
        }

        @Test("A challenge is valid for less than five minutes") func expiry() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let cases: [(Int, Problem.Code?)] = [(299, nil), (300, .notFound)]
            for (seconds, code) in cases {
                let begun = try await world.beginAdding(ada)
                world.clock.advance(.seconds(seconds))
                let device = SoftAuthenticator(seed: UInt8(seconds % 200))
                let found = await errorCode {
                    try await world.passkeys.finishAdding(
                        begun.id, device.create(begun.options), token: ada.token, at: world.now)
                }
                #expect(found == code)
            }
        }

        @Test("A lifetime that the operator has made longer counts") func longer() async throws {
            let world = try PasskeyWorld { $0.limits.lifetime = .minutes(20) }
            let ada = try await world.open()
            let begun = try await world.beginAdding(ada)
            world.clock.advance(.minutes(19))
            let response = SoftAuthenticator().create(begun.options)
            _ = try await world.passkeys.finishAdding(begun.id, response, token: ada.token, at: world.now)
        }

        @Test("Only the session that has begun to add a passkey can finish") func otherSession() async throws {
            let world = try PasskeyWorld()
            let (ada, eve) = (try await world.open(), try await world.open())
            let begun = try await world.beginAdding(ada)
            let response = phone.create(begun.options)
            #expect(
                await errorCode {
                    try await world.passkeys.finishAdding(begun.id, response, token: eve.token, at: world.now)
                } == .notFound)
            #expect(
                await errorCode { try await world.passkeys.outcome(of: begun.id, token: eve.token, at: world.now) }
                    == .notFound)
            #expect(try await world.count("passkey") == 0)
        }

        @Test("An assertion cannot add a passkey, and an attestation cannot sign in")
        func otherKind() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            try await world.add(phone, to: ada)
            let (adding, signIn) = (try await world.beginAdding(ada), try await world.beginSignIn())
            #expect(
                await errorCode {
                    try await world.passkeys.finishSignIn(
                        adding.id, phone.get(signIn.options, for: ada.account), at: world.now)
                } == .notFound)
            #expect(
                await errorCode {
                    try await world.passkeys.finishAdding(
                        signIn.id, phone.create(adding.options), token: ada.token, at: world.now)
                } == .notFound)
        }

        // MARK: Refusals

        /// How the registration and the assertion are forged for each refusal; nil where the refusal cannot occur.
        private typealias Forgery = @Sendable (inout SoftAuthenticator.Answer) -> Void
        private static let forgeries: [PasskeyRefusal: (adding: Forgery?, signingIn: Forgery?)] = [
            .malformedClientData: both { $0.clientData = Data("{".utf8) },
            .wrongType: both { $0.type = "webauthn.other" },
            .wrongChallenge: both { $0.challenge = Data(repeating: 9, count: 32) },
            .wrongOrigin: both { $0.origin = "https://evil.example" },
            .crossOrigin: both { $0.extra = #","topOrigin":"https://evil.example""# },
            .malformedAuthenticatorData: both { $0.trailer = Data([0]) },
            .wrongRelyingParty: both { $0.relyingParty = "evil.example" },
            .userNotPresent: both { $0.flags = 0x04 },
            .userNotVerified: both { $0.flags = 0x01 },
            .contradictoryBackup: both { $0.flags = 0x15 },
            .wrongCredential: both { $0.kind = "password" },
            .unsupportedAttestation: ({ $0.format = "fido-u2f" }, nil),
            .unsupportedKey: (
                { $0.key = Data([0xA4, 1, 1, 3, 0x38, 0x22, 0x20, 6, 0x21, 0x41, 0]) }, nil
            ),
            .wrongSignature: (nil, { $0.breaksSignature = true }),
            .unknownPasskey: (nil, { $0.id = Data([1, 2, 3]) }),
            .otherAccount: (nil, { $0.userHandle = .some(nil) }),
            .changedEligibility: (nil, { $0.flags = 0x0D }),
            .repeatedCounter: (nil, { $0.count = 5 }),
            .knownPasskey: ({ _ in }, nil),
        ]

        private static func both(_ forgery: @escaping Forgery) -> (adding: Forgery?, signingIn: Forgery?) {
            (forgery, forgery)
        }

        @Test("Each forged answer is refused for its own reason", arguments: PasskeyRefusal.allCases)
        func refusals(refusal: PasskeyRefusal) async throws {
            let forgery = try #require(Self.forgeries[refusal])
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let begun = try await world.beginAdding(ada)
            // The stored counter is 5.
            _ = try await world.passkeys.finishAdding(
                begun.id, phone.create(begun.options) { $0.count = 5 }, token: ada.token, at: world.now)
            let before = try await world.count("session")
            if let forge = forgery.adding {
                let begun = try await world.beginAdding(ada)
                let device = refusal == .knownPasskey ? phone : SoftAuthenticator(seed: 2)
                let sentence = await sentence {
                    try await world.passkeys.finishAdding(
                        begun.id, device.create(begun.options, forge), token: ada.token, at: world.now)
                }
                #expect(sentence == refusal.error.sentence)
            }
            if let forge = forgery.signingIn {
                let begun = try await world.beginSignIn()
                let response = phone.get(begun.options, for: ada.account) {
                    $0.count = 6
                    forge(&$0)
                }
                let sentence = await sentence {
                    try await world.passkeys.finishSignIn(begun.id, response, at: world.now)
                }
                #expect(sentence == refusal.error.sentence)
            }
            #expect(try await world.count("passkey") == 1)
            #expect(try await world.count("session") == before)
        }

        @Test(
            "Further forged client data is refused",
            arguments: [
                (#","crossOrigin":true"#, PasskeyRefusal.malformedClientData),
                (#","topOrigin":"https://kith.example""#, .crossOrigin),
                (String(repeating: " ", count: 9_000), .malformedClientData),
            ])
        func clientData(extra: String, refusal: PasskeyRefusal) async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            try await world.add(phone, to: ada)
            let begun = try await world.beginSignIn()
            let response = phone.get(begun.options, for: ada.account) { $0.extra = extra }
            #expect(
                await sentence { try await world.passkeys.finishSignIn(begun.id, response, at: world.now) }
                    == refusal.error.sentence)
        }

        @Test("A counter must grow, unless the authenticator has none") func counters() {
            for (new, old, isAbove) in [(0, 0, true), (1, 0, true), (0, 1, false), (1, 1, false), (2, 1, true)] {
                #expect(PasskeyCheck.isAbove(UInt32(new), UInt32(old)) == isAbove)
            }
        }

        private func sentence(_ body: () async throws -> some Any) async -> String? {
            do {
                _ = try await body()
                return nil
            } catch { return (error as? ServerError)?.sentence }
        }

        // MARK: The page

        @Test("The page of a sign-in names the device that has begun it, and that device receives the session")
        func page()
            async throws
        {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            try await world.add(phone, to: ada)
            let begun = try await world.beginSignIn()
            let ticket = try world.ticket(begun.page)
            let claim = PasskeyClaim(claim: begun.claim)
            #expect(try await world.passkeys.claim(claim, of: begun.id, at: world.now) == PasskeyOutcome())

            let first = try await world.passkeys.open(
                PasskeyPageRequest(ticket: ticket), from: PasskeyWorld.elsewhere, at: world.now)
            #expect(first.name == "Tablet" && first.place == "203.0.113.7" && first.isElsewhere)
            let state = try await world.passkeys.open(
                PasskeyPageRequest(ticket: ticket), from: PasskeyWorld.home, at: world.now)
            let options = try #require(state.request)
            #expect(state.creation == nil && !state.isElsewhere && options.challenge != first.request?.challenge)
            let response = PasskeyPageResponse(
                ticket: ticket, assertion: phone.get(options, for: ada.account))
            try await world.passkeys.respond(response, at: world.now)
            #expect(
                await errorCode {
                    try await world.passkeys.open(
                        PasskeyPageRequest(ticket: ticket), from: PasskeyWorld.home, at: world.now)
                } == .notFound, "The ticket is used.")

            #expect(
                await errorCode {
                    try await world.passkeys.claim(PasskeyClaim(claim: ticket), of: begun.id, at: world.now)
                } == .notFound, "The page cannot claim the session.")
            let lost = try #require(try await world.passkeys.claim(claim, of: begun.id, at: world.now).session)
            let session = try #require(try await world.passkeys.claim(claim, of: begun.id, at: world.now).session)
            #expect(try await world.kind(session) == "identified" && session.account == ada.account)
            #expect(session == lost, "A repeated claim has the same token.")
            try await world.sessions.close(SessionID(token: session.token), of: ada.account)
            #expect(
                await errorCode { try await world.passkeys.claim(claim, of: begun.id, at: world.now) } == .notFound,
                "A device whose session was closed does not come back.")
        }

        @Test(
            "An unclaimed sign-in ends when all sessions are closed, or a passkey is removed", arguments: [true, false])
        func unclaimed(closesAll: Bool) async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let passkey = try await world.add(phone, to: ada)
            let begun = try await world.beginSignIn()
            let ticket = try world.ticket(begun.page)
            let state = try await world.passkeys.open(
                PasskeyPageRequest(ticket: ticket), from: PasskeyWorld.home, at: world.now)
            let options = try #require(state.request)
            try await world.passkeys.respond(
                PasskeyPageResponse(ticket: ticket, assertion: phone.get(options, for: ada.account)), at: world.now)
            if closesAll {
                try await world.sessions.closeAll(of: ada.account)
            } else {
                try await world.passkeys.remove(passkey.id, of: ada.account, evenLast: true)
            }
            let claim = PasskeyClaim(claim: begun.claim)
            #expect(
                await errorCode { try await world.passkeys.claim(claim, of: begun.id, at: world.now) } == .notFound)
        }

        @Test("The page of an addition adds the passkey to the account of the session that has begun it")
        func addingPage()
            async throws
        {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let begun = try await world.beginAdding(ada, named: "Laptop")
            let ticket = try world.ticket(begun.page)
            #expect(try await world.passkeys.outcome(of: begun.id, token: ada.token, at: world.now) == PasskeyOutcome())
            let state = try await world.passkeys.open(
                PasskeyPageRequest(ticket: ticket), from: PasskeyWorld.home, at: world.now)
            let options = try #require(state.creation)
            try await world.passkeys.respond(
                PasskeyPageResponse(ticket: ticket, attestation: phone.create(options)), at: world.now)
            let passkey = try await world.passkeys.outcome(of: begun.id, token: ada.token, at: world.now).passkey
            #expect(passkey?.name == "Laptop")
            #expect(try await world.kind(ada) == "identified")
        }

        @Test("Trap: A page outlives its session – after a log-out it adds nothing") func loggedOut() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            let begun = try await world.beginAdding(ada)
            try await world.sessions.close(ada.token)
            let response = PasskeyPageResponse(
                ticket: try world.ticket(begun.page), attestation: phone.create(begun.options))
            #expect(await errorCode { try await world.passkeys.respond(response, at: world.now) } == .notFound)
            #expect(try await world.count("passkey") == 0)
        }

        @Test("A page without a response is malformed") func empty() async throws {
            let world = try PasskeyWorld()
            let begun = try await world.beginSignIn()
            let response = PasskeyPageResponse(ticket: try world.ticket(begun.page))
            #expect(await errorCode { try await world.passkeys.respond(response, at: world.now) } == .malformed)
        }

        @Test("The database has neither tickets nor claims nor tokens") func secrets() async throws {
            let world = try PasskeyWorld()
            let begun = try await world.beginSignIn()
            let (ticket, claim) = (try world.ticket(begun.page), begun.claim)
            let rows = try await world.database.read { try $0.query("SELECT ticket, claim FROM ceremony") }
            #expect(try rows[0].bytes(0) == Secret.sha256(ticket) && rows[0].bytes(1) == Secret.sha256(claim))
        }

        // MARK: Removing and limits

        @Test("Without its last passkey, an account without an identity is anonymous again") func removing()
            async throws
        {
            let world = try PasskeyWorld()
            let (ada, eve) = (try await world.open(), try await world.open())
            let (first, second) = (
                try await world.add(phone, to: ada), try await world.add(SoftAuthenticator(seed: 2), to: ada)
            )
            #expect(await errorCode { try await world.passkeys.remove(first.id, of: eve.account) } == .notFound)
            try await world.passkeys.remove(first.id, of: ada.account)
            #expect(try await world.kind(ada) == "identified")
            #expect(await errorCode { try await world.passkeys.remove(second.id, of: ada.account) } == .lastWayIn)
            try await world.passkeys.remove(second.id, of: ada.account, evenLast: true)
            #expect(try await world.kind(ada) == "anonymous")
            let begun = try await world.beginSignIn()
            let response = phone.get(begun.options, for: ada.account)
            #expect(
                await errorCode { try await world.passkeys.finishSignIn(begun.id, response, at: world.now) }
                    == .passkeyRefused)
        }

        @Test("An account has at most 20 passkeys") func tooMany() async throws {
            let world = try PasskeyWorld { $0.limits.ceremoniesOfSession = 100 }
            let ada = try await world.open()
            for seed in 1...20 { try await world.add(SoftAuthenticator(seed: UInt8(seed)), to: ada) }
            #expect(await errorCode { try await world.beginAdding(ada) } == .tooMany)
        }

        @Test("Ceremonies are limited for a session, a network and in total, and count for five minutes")
        func tooFast() async throws {
            let world = try PasskeyWorld {
                $0.limits.ceremoniesOfNetwork = 12
                $0.limits.ceremoniesInAll = 13
            }
            let ada = try await world.open()
            for _ in 0..<10 { _ = try await world.beginAdding(ada) }
            #expect(await errorCode { try await world.beginAdding(ada) } == .tooFast)
            for _ in 0..<2 { _ = try await world.beginSignIn() }
            #expect(await errorCode { try await world.beginSignIn() } == .tooFast)
            _ = try await world.beginSignIn(from: PasskeyWorld.elsewhere)
            #expect(await errorCode { try await world.beginSignIn(from: PasskeyWorld.elsewhere) } == .tooFast)
            let ceremonies = try await world.count("ceremony")
            // Those that were begun while the clock was ahead do not count either.
            world.clock.advance(.seconds(-600))
            _ = try await world.beginSignIn()
            #expect(try await world.count("ceremony") == ceremonies + 1)
            world.clock.advance(.seconds(600 + 300))
            _ = try await world.beginAdding(ada)
            try await Housekeeping(database: world.database, signals: .none).purge(world.now + .seconds(1))
            #expect(try await world.count("ceremony") == 1)
        }

        @Test("A name that is too long is malformed") func longName() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            #expect(
                await errorCode { try await world.beginAdding(ada, named: String(repeating: "a", count: 101)) }
                    == .malformed)
        }

        @Test("A server without passkeys refuses to begin, and says so") func off() async throws {
            for world in [try PasskeyWorld { $0.isOn = false }, try PasskeyWorld(verifies: false)] {
                let ada = try await world.open()
                #expect(await errorCode { try await world.beginAdding(ada) } == .forbidden)
                #expect(await errorCode { try await world.beginSignIn() } == .forbidden)
                #expect(try await world.passkeys.list(of: ada.account).passkeys.isEmpty)
            }
        }

        @Test("A deleted account leaves neither passkeys nor ceremonies") func deletion() async throws {
            let world = try PasskeyWorld()
            let ada = try await world.open()
            try await world.add(phone, to: ada)
            _ = try await world.beginAdding(ada)
            try await AccountService(database: world.database, signals: .none).delete(ada.account, at: world.now)
            #expect(try await world.count("passkey") == 0)
            #expect(try await world.count("ceremony") == 0)
        }
    }
#endif
