import Foundation
import KithModel
import KithServer
import Testing

@Suite("Signing in with a recovery code") struct RecoveryServiceTests {
    private func create(_ world: SignInWorld, _ session: NewSession) async throws -> [String] {
        try await world.recovery.create(
            for: session.account, languages: ["de"], address: "203.0.113.7", at: world.now
        ).codes
    }

    private func use(
        _ code: String, _ world: SignInWorld, _ session: NewSession, from address: String = "203.0.113.7"
    ) async throws -> SignedIn {
        try await world.recovery.use(
            RecoveryCodeUse(code: code, device: "Ada’s tablet"),
            by: world.requester(session, from: address), at: world.now)
    }

    @Test("Ten codes are made; each opens one session of the account, and the requesting session stays open")
    func once() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        let codes = try await create(world, phone)
        #expect(Set(codes).count == 10)
        let signedIn = try await use(codes[3].lowercased(), world, tablet)
        let token = try #require(signedIn.token)
        #expect(signedIn.account == phone.account && signedIn.server == world.database.server)
        #expect(try await world.sessions.verify(token)?.account == phone.account)
        #expect(try await world.sessions.verify(tablet.token)?.account == tablet.account)
        let names = try await world.sessions.list(of: phone.account, by: token).sessions.map(\.device)
        #expect(Set(names) == [nil, "Ada’s tablet"])
        #expect(
            try await world.recovery.status(of: phone.account) == RecoveryStatus(codes: 10, left: 9, created: world.now)
        )
        let eve = try await world.open()
        #expect(await errorCode { try await use(codes[3], world, eve) } == .codeWrong)
    }

    @Test("A new set replaces the old one, and another account's codes stay valid") func newSet() async throws {
        let world = try SignInWorld()
        let (ada, ben, eve) = (try await world.open(), try await world.open(), try await world.open())
        let (old, others) = (try await create(world, ada), try await create(world, ben))
        let new = try await create(world, ada)
        #expect(await errorCode { try await use(old[0], world, eve) } == .codeWrong)
        #expect(try await use(new[0], world, eve).account == ada.account)
        #expect(try await use(others[0], world, eve).account == ben.account)
    }

    @Test("The session that used a code can repeat the request; the answer then has the same token")
    func lostAnswer() async throws {
        let world = try SignInWorld()
        let (phone, tablet, eve) = (try await world.open(), try await world.open(), try await world.open())
        let codes = try await create(world, phone)
        let lost = try #require(try await use(codes[0], world, tablet).token)
        let token = try #require(try await use(codes[0], world, tablet).token)
        #expect(token == lost)
        #expect(try await world.sessions.verify(token)?.account == phone.account)
        #expect(await errorCode { try await use(codes[0], world, eve) } == .codeWrong)
        world.clock.advance(RecoveryLimits().repeating)
        #expect(await errorCode { try await use(codes[0], world, tablet) } == .codeWrong)
        #expect(try await world.sessions.verify(token) != nil)
    }

    @Test("A code of the session's own account changes nothing and stays unused") func ownCode() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let codes = try await create(world, ada)
        #expect(try await use(codes[0], world, ada).token == nil)
        #expect(try await world.recovery.status(of: ada.account).left == 10)
    }

    @Test(
        "Trap: The answer shows whether a code is nearly right, used or replaced – it is the same for each wrong code")
    func sameAnswer() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        let old = try await create(world, ada)
        let codes = try await create(world, ada)
        _ = try await use(codes[1], world, try await world.open())
        let near = String(codes[0].dropLast()) + (codes[0].hasSuffix("A") ? "B" : "A")
        var sentences: Set<String> = []
        for code in [near, codes[1], old[0], "", "ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZ"] {
            do {
                _ = try await use(code, world, eve)
                Issue.record("\(code) is accepted.")
            } catch let error as ServerError {
                #expect(error.code == .codeWrong)
                sentences.insert(error.sentence)
            }
        }
        #expect(sentences.count == 1)
    }

    @Test("Tries are limited per network and in all, right ones included; wrong ones are counted") func limits()
        async throws
    {
        let world = try SignInWorld {
            $0.recovery.triesOfNetwork = 3
            $0.recovery.triesInAll = 5
        }
        let (ada, eve) = (try await world.open(), try await world.open())
        let codes = try await create(world, ada)
        for _ in 0..<3 { #expect(await errorCode { try await use("x", world, eve) } == .codeWrong) }
        #expect(await errorCode { try await use(codes[0], world, eve) } == .quotaExceeded)
        for _ in 0..<2 {
            #expect(await errorCode { try await use("x", world, eve, from: "198.51.100.9") } == .codeWrong)
        }
        #expect(await errorCode { try await use(codes[0], world, eve, from: "192.0.2.9") } == .quotaExceeded)
        world.clock.advance(.days(1))
        #expect(try await use(codes[0], world, eve).account == ada.account)
    }

    @Test("The tries of a network are counted under its keyed hash") func network() async throws {
        let world = try SignInWorld()
        let eve = try await world.open()
        #expect(await errorCode { try await use("x", world, eve, from: "203.0.113.7") } == .codeWrong)
        let (counted, hash) = try await world.database.read { transaction in
            let counted = try transaction.query("SELECT account FROM usage WHERE kind = 'recoveryTries'")
                .map { try $0.bytes(0) }
            return (counted, try MessageSecret(existing: transaction)?.hash(of: ClientNetwork("203.0.113.0")))
        }
        let network = try #require(hash)
        #expect(Set(counted) == [network.bytes, Data(count: 16)] && counted.count == 2)
    }

    @Test("The database has neither the codes nor their plain hashes") func hashes() async throws {
        let world = try SignInWorld()
        let codes = try await create(world, try await world.open())
        let plain = codes.map { Secret.sha256($0.filter { $0 != "-" }) }
        let stored = try await world.database.read { transaction in
            try transaction.query("SELECT hash FROM recovery").map { try $0.bytes(0) }
        }
        #expect(stored.count == 10 && Set(stored).isDisjoint(with: plain))
    }

    @Test(
        "The oldest emails of the account receive messages about new codes and a used code, in the profile’s language"
    )
    func notices() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        for name in ["a", "b", "c", "d", "e", "f"] {
            _ = try await world.signIn("\(name)@example.com", by: ada)
            world.clock.advance(.seconds(60))
        }
        try await world.setLanguage("de", of: ada)
        let codes = try await create(world, ada)
        _ = try await use(codes[0], world, eve)
        let notices = try await world.database.read { transaction in
            try transaction.query(
                "SELECT recipient, language, subject, body FROM message WHERE kind = 'recovery' ORDER BY subject, recipient"
            )
            .map { (to: try $0.text(0), language: try $0.text(1), subject: try $0.text(2), text: try $0.text(3)) }
        }
        let five = ["a", "b", "c", "d", "e"].map { "\($0)@example.com" }
        #expect(notices.map(\.to) == five + five && notices.allSatisfy { $0.language == "de" })
        let used = try #require(notices.first)
        #expect(used.subject == "Ein Wiederherstellungscode für Kith wurde benutzt")
        for part in ["Ada’s tablet", "203.0.113.7", "Übrige Codes: 9."] { #expect(used.text.contains(part)) }
        #expect(notices.last?.subject == "Neue Wiederherstellungscodes für Kith")
        #expect(notices.allSatisfy { notice in !codes.contains { notice.text.contains($0) } })
    }

    @Test(
        "Trap: Whoever uses a stolen code chooses the language of the warning – it is the profile’s, or the operator’s"
    )
    func language() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: ada)
        let codes = try await create(world, ada)
        world.clock.advance(.seconds(60))
        _ = try await use(codes[0], world, eve)
        #expect(
            try await world.messages(of: .recovery).map(\.language) == ["de", "en"],
            "Without a language in the profile, the owner’s request chooses one, and the stranger’s does not.")
        world.clock.advance(.seconds(60))
        try await world.setLanguage("fr", of: ada)
        _ = try await use(try await create(world, ada)[0], world, eve)
        #expect(try await world.messages(of: .recovery).dropFirst(2).allSatisfy { $0.language == "fr" })
    }

    @Test("An operator can switch recovery codes off: none are made, shown or used") func off() async throws {
        let on = try SignInWorld()
        let (ada, eve) = (try await on.open(), try await on.open())
        let codes = try await create(on, ada)
        let world = try SignInWorld(database: on.database) { $0.hasRecoveryCodes = false }
        #expect(await errorCode { try await create(world, ada) } == .forbidden)
        #expect(await errorCode { try await world.recovery.status(of: ada.account) } == .forbidden)
        #expect(await errorCode { try await use(codes[0], world, eve) } == .forbidden)
        #expect(try await use(codes[0], on, eve).account == ada.account)
    }

    @Test("The codes of a deleted account are deleted") func deleted() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        let codes = try await create(world, ada)
        try await AccountService(database: world.database, signals: .none).delete(ada.account, at: world.now)
        #expect(try await world.count("recovery") == 0)
        #expect(await errorCode { try await use(codes[0], world, eve) } == .codeWrong)
    }
}
