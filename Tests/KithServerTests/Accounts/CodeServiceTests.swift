import KithModel
import KithServer
import Testing

@Suite("Signing in with a code") struct CodeServiceTests {
    @Test("A right code gives the email to the session's account, which becomes identified")
    func newIdentity() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let proved = try await world.signIn("ada@example.com", by: ada)
        #expect(proved.account == ada.account && proved.token == nil)
        #expect(try await world.sessions.verify(ada.token)?.kind == "identified")
        #expect(
            try await world.identities.list(of: ada.account).identities.map(\.identity.shown) == ["ada@example.com"])
    }

    @Test("A session that gets an identity is named if it has no name; one that has a name keeps it")
    func deviceName() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        func name() async throws -> String? {
            try await world.sessions.list(of: ada.account, by: ada.token).sessions.first?.device
        }
        _ = try await world.signIn("ada@example.com", by: ada)
        #expect(try await name() == "Ada’s phone")
        try await world.sessions.name(ada.token, SessionName(device: "The red one"))
        world.clock.advance(.seconds(60))
        _ = try await world.signIn("ada@example.org", by: ada)
        #expect(try await name() == "The red one")
    }

    @Test("An email of another account opens a session of that account, and the requesting session stays open")
    func otherAccount() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(60))
        let proved = try await world.signIn("ada@example.com", by: tablet)
        #expect(proved.account == phone.account)
        let token = try #require(proved.token)
        #expect(try await world.sessions.verify(token)?.account == phone.account)
        #expect(try await world.sessions.verify(tablet.token)?.account == tablet.account)
        let sessions = try await world.sessions.list(of: phone.account, by: token).sessions
        #expect(
            sessions.map(\.device) == ["Ada’s phone", "Ada’s phone"] && sessions.map(\.isCurrent) == [false, true])
    }

    @Test("Trap: An answer tells whether somebody is registered – it is the same until the code was right")
    func sameAnswers() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: ada)
        world.clock.advance(.days(2))
        var (known, unknown) = (
            try await world.request("ada@example.com", by: eve), try await world.request("bob@example.com", by: eve)
        )
        #expect(await errorCode { try await world.check("x", of: known, by: eve) } == .codeWrong)
        #expect(await errorCode { try await world.check("x", of: unknown, by: eve) } == .codeWrong)
        // The answer repeats the id and the identity of the request.
        (unknown.id, unknown.identity) = (known.id, known.identity)
        #expect(known == unknown)
        known = try await world.request("ada@example.com", by: eve, id: known.id)
        #expect(known == unknown, "A repeated request has the same answer.")
    }

    @Test("A request that is repeated sends one message") func repeatedRequest() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        let sent = try await world.request("ada@example.com", by: ada)
        #expect(try await world.request("ada@example.com", by: ada, id: sent.id) == sent)
        #expect(try await world.count("message") == 1)
        #expect(await errorCode { try await world.request("bob@example.com", by: ada, id: sent.id) } == .conflict)
        #expect(await errorCode { try await world.request("ada@example.com", by: eve, id: sent.id) } == .conflict)
    }

    /// Signs Ada in on a phone, and requests a code for her email on a tablet.
    private func codeOfSecondDevice(
        in world: SignInWorld
    ) async throws -> (phone: NewSession, tablet: NewSession, sent: SentCode, code: String) {
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(60))
        let sent = try await world.request("ada@example.com", by: tablet)
        return (phone, tablet, sent, try await world.code(of: sent))
    }

    @Test("A right code can be checked again after a lost answer; the answer has the same token")
    func repeatedCheck() async throws {
        let world = try SignInWorld()
        let (phone, tablet, sent, code) = try await codeOfSecondDevice(in: world)
        let lost = try #require(try await world.check(code, of: sent, by: tablet).token)
        let received = try #require(try await world.check(code, of: sent, by: tablet).token)
        #expect(received == lost)
        #expect(try await world.sessions.verify(received)?.account == phone.account)
        #expect(try await world.sessions.list(of: phone.account, by: received).sessions.count == 2)
    }

    @Test("Trap: Two checks of one code cross, and the device keeps a dead token – both answers have the same token")
    func crossingChecks() async throws {
        let world = try SignInWorld()
        let (phone, tablet, sent, code) = try await codeOfSecondDevice(in: world)
        async let one = world.check(code, of: sent, by: tablet)
        async let other = world.check(code, of: sent, by: tablet)
        for token in try await [one.token, other.token] {
            #expect(try await world.sessions.verify(token ?? "")?.account == phone.account)
        }
        #expect(try await world.sessions.list(of: phone.account, by: phone.token).sessions.count == 2)
    }

    @Test("Trap: A used code works again – a repetition gives nothing back that was removed or has another owner")
    func repetitions() async throws {
        let world = try SignInWorld()
        let (ada, eve, phished, code) = try await codeOfSecondDevice(in: world)
        let email = try #require(Identity("mailto:ada@example.com"))
        func remove() async throws {
            try await world.identities.remove(email, of: ada.account, evenLast: true, from: "here", at: world.now)
        }
        let token = try #require(try await world.check(code, of: phished, by: eve).token)
        #expect(try await world.check(code, of: phished, by: eve).token == token)
        try await world.sessions.close(token)
        try await remove()
        #expect(await errorCode { try await world.check(code, of: phished, by: eve) } == .codeExpired)
        #expect(try await world.identities.list(of: eve.account).identities.isEmpty)

        world.clock.advance(.seconds(120))
        let own = try await world.request("ada@example.com", by: ada)
        let ownCode = try await world.code(of: own)
        #expect(try await world.check(ownCode, of: own, by: ada).account == ada.account)
        #expect(try await world.check(ownCode, of: own, by: ada).account == ada.account)
        try await remove()
        #expect(await errorCode { try await world.check(ownCode, of: own, by: ada) } == .codeExpired)
    }

    /// What somebody has who has used a browser before, besides the session that waits in it.
    enum EarlierAccess: CaseIterable {
        case nothing, session, recoveryCodes
    }

    @Test(
        "Trap: Somebody has used the browser before – they cannot use the account of the next person, and keep their own",
        arguments: EarlierAccess.allCases)
    func browser(access: EarlierAccess) async throws {
        let world = try SignInWorld()
        let (waiting, eve) = (try await world.open(), try await world.open())
        let browser = Requester(.browser, token: waiting.token, address: IPAddress("203.0.113.7")!)
        let pairing = try await world.pair(waiting)
        let secret = try #require(pairing.link.split(separator: "#").last.map(String.init))
        let use = PairingUse(token: secret)
        var second: PairedSession?
        switch access {
        case .nothing: break
        case .session: second = try await world.pairings.use(use, by: world.requester(eve), at: world.now)
        case .recoveryCodes:
            _ = try await world.recovery.create(for: waiting.account, languages: [], address: "", at: world.now)
        }
        let sent = try await world.request("ada@example.com", by: waiting)
        let code = try await world.code(of: sent)

        let proved = try await world.codes.check(code, of: sent.id, by: browser, at: world.now)
        let token = try #require(proved.token)
        #expect(token != waiting.token && (proved.account == waiting.account) == (access == .nothing))
        #expect(try await world.sessions.list(of: proved.account, by: token).sessions.map(\.isCurrent) == [true])
        #expect(try await world.sessions.verify(waiting.token) == nil)
        #expect(try await world.sessions.verify(second?.token ?? "")?.account == second?.account)
        #expect(try await world.count("recovery") == (access == .recoveryCodes ? 10 : 0))
        if second == nil {
            let late = await errorCode { try await world.pairings.use(use, by: world.requester(eve), at: world.now) }
            #expect(late == .codeExpired)
        }
        // The browser sends the form again.
        #expect(try await world.codes.check(code, of: sent.id, by: browser, at: world.now).token == token)
        #expect(try await world.count("identity") == 1)
    }

    @Test("A code is bound to the session that requested it: no other session can check it") func bound() async throws {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        let sent = try await world.request("ada@example.com", by: ada)
        let code = try await world.code(of: sent)
        #expect(await errorCode { try await world.check(code, of: sent, by: eve) } == .notFound)
        #expect(try await world.check(code, of: sent, by: ada).account == ada.account)
    }

    @Test("A wrong code counts as a try, and after five tries the right code is refused too")
    func wrongCodes() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let sent = try await world.request("ada@example.com", by: ada)
        for number in 1...5 {
            let wrong = try await world.wrongCode(of: sent, number)
            let code = await errorCode { try await world.check(wrong, of: sent, by: ada) }
            #expect(code == (number < 5 ? .codeWrong : .codeExpired))
            world.clock.advance(.seconds(110))
            if number >= 2 { world.clock.advance(.seconds(10)) }
        }
        let right = try await world.code(of: sent)
        #expect(await errorCode { try await world.check(right, of: sent, by: ada) } == .codeExpired)
        #expect(try await world.identities.list(of: ada.account).identities.isEmpty)
    }

    @Test("A refusal that is over soon says when: the next code, and the next try") func waiting() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        func sentence(_ body: () async throws -> some Any) async -> String {
            do {
                _ = try await body()
                return ""
            } catch { return (error as? ServerError)?.sentence ?? "" }
        }
        let sent = try await world.request("ada@example.com", by: ada)
        world.clock.advance(.seconds(15))
        let next = await sentence { try await world.request("ada@example.com", by: ada) }
        #expect(next.hasSuffix("You can request another one in 45 seconds."), "\(next)")
        for number in 1...3 {
            let wrong = try await world.wrongCode(of: sent, number)
            _ = await sentence { try await world.check(wrong, of: sent, by: ada) }
        }
        let wrong = try await world.wrongCode(of: sent, 4)
        let again = await sentence { try await world.check(wrong, of: sent, by: ada) }
        #expect(again.hasPrefix("Wait before the next try: you can try again in 60 seconds."), "\(again)")
    }

    @Test("Trap: A page with a wrong code is reloaded – the answer is the same, and the code counts once")
    func repeatedWrongCode() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let sent = try await world.request("ada@example.com", by: ada)
        let wrong = [try await world.wrongCode(of: sent, 1), try await world.wrongCode(of: sent, 2)]
        func answer(_ code: String) async -> String {
            do {
                _ = try await world.check(code, of: sent, by: ada)
                return ""
            } catch { return (error as? ServerError)?.sentence ?? "" }
        }
        for _ in 1...3 { #expect(await answer(wrong[0]) == "The code is wrong. 4 tries are left.") }
        for _ in 1...3 { #expect(await answer(wrong[1]) == "The code is wrong. 3 tries are left.") }
        #expect(await answer(wrong[0]).hasPrefix("Wait before the next try"), "It is another code than the last one.")
        world.clock.advance(.seconds(60))
        let right = try await world.code(of: sent)
        #expect(try await world.check(right, of: sent, by: ada).account == ada.account)
    }

    @Test("Spaces in a code do not matter") func spaces() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let sent = try await world.request("ada@example.com", by: ada)
        let code = try await world.code(of: sent)
        let typed = " \(code.prefix(3))\u{A0}\(code.dropFirst(3)) "
        #expect(try await world.check(typed, of: sent, by: ada).account == ada.account)
    }

    @Test("Trap: A new code resets the count of tries – tries of an identity are counted over all its codes")
    func triesOfIdentity() async throws {
        let world = try SignInWorld {
            $0.limits.triesOfIdentity = 3
            $0.limits.pausesBetweenTries = [.zero]
        }
        let (ada, eve) = (try await world.open(), try await world.open())
        for _ in 0..<3 {
            let sent = try await world.request("ada@example.com", by: eve)
            let wrong = try await world.wrongCode(of: sent)
            #expect(await errorCode { try await world.check(wrong, of: sent, by: eve) } == .codeWrong)
            world.clock.advance(.seconds(600))
        }
        // Deleting the account that has tried does not reset the count either.
        try await AccountService(database: world.database, signals: .none).delete(eve.account, at: world.now)
        let sent = try await world.request("ada@example.com", by: ada)
        let right = try await world.code(of: sent)
        #expect(await errorCode { try await world.check(right, of: sent, by: ada) } == .quotaExceeded)
        world.clock.advance(.days(31))
        #expect(try await world.signIn("ada@example.com", by: ada).account == ada.account)
    }

    @Test("Tries while the clock was ahead do not count when it is right again") func triesAhead() async throws {
        let world = try SignInWorld { $0.limits.triesOfIdentity = 1 }
        let (ada, eve) = (try await world.open(), try await world.open())
        world.clock.advance(.days(365))
        let sent = try await world.request("ada@example.com", by: eve)
        let wrong = try await world.wrongCode(of: sent)
        #expect(await errorCode { try await world.check(wrong, of: sent, by: eve) } == .codeWrong)
        world.clock.advance(.days(-365))
        #expect(try await world.signIn("ada@example.com", by: ada).account == ada.account)
    }

    @Test("Codes are limited for an identity, an account, a network and in total", arguments: 0..<4)
    func limits(of scope: Int) async throws {
        let world = try SignInWorld {
            if scope == 1 { $0.limits.ofAccount = 2 }
            if scope == 2 { $0.limits.ofNetwork = 2 }
            if scope == 3 { $0.limits.inAll = 2 }
        }
        let sessions = [try await world.open(), try await world.open(), try await world.open()]
        func request(_ number: Int) async throws {
            let email = scope == 0 ? "ada@example.com" : "ada\(number)@example.com"
            try await world.request(
                email, by: sessions[scope == 1 ? 0 : number], from: scope == 2 ? "203.0.113.7" : "\(number).0.0.7")
        }
        try await request(0)
        if scope == 0 {
            #expect(await errorCode { try await request(1) } == .tooFast)
            world.clock.advance(.seconds(60))
            try await request(1)
        } else {
            try await request(1)
            #expect(await errorCode { try await request(2) } == .quotaExceeded)
            world.clock.advance(.days(1))
            try await request(2)
        }
    }

    @Test("The message names the device and the place, and goes to the email only") func message() async throws {
        let world = try SignInWorld()
        let sent = try await world.request("ada@example.com", by: try await world.open())
        let rows = try await world.database.read { transaction in
            try transaction.query("SELECT recipient, body FROM message WHERE id = ?", [.id(sent.id)])
        }
        #expect(try rows.map { try $0.text(0) } == ["ada@example.com"])
        let text = try #require(try rows.first?.text(1))
        #expect(text.contains("Ada’s phone") && text.contains("203.0.113.7") && text.contains("10 minutes"))
    }

    @Test("Trap: a stranger writes to anybody in the operator’s name – a device’s name with a link is left out")
    func linkInName() async throws {
        let world = try SignInWorld()
        let eve = try await world.open()
        var request = CodeRequest(id: world.newID(), identity: .email(try #require(EmailAddress("ada@example.com"))))
        request.device = "your phone. Log in at http://evil.example"
        let sent = try await world.send(request, by: eve)
        let rows = try await world.database.read { transaction in
            try transaction.query("SELECT body FROM message WHERE id = ?", [.id(sent.id)])
        }
        let text = try #require(try rows.first?.text(0))
        #expect(text.contains("203.0.113.7") && !text.contains("evil"))
    }

    @Test("The database has neither codes nor tokens once a message is sent") func secrets() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let sent = try await world.request("ada@example.com", by: ada)
        let code = try await world.code(of: sent)
        let hashes = try await world.database.read { try $0.query("SELECT hash FROM code").map { try $0.bytes(0) } }
        #expect(hashes == [Secret.sha256("\(ada.token) \(code)")], "Without the token, the hash cannot be searched.")
    }

    @Test("A value that is too long or not allowed is refused with its path") func malformed() async throws {
        let world = try SignInWorld { $0.sendsEmail = false }
        let ada = try await world.open()
        #expect(await errorCode { try await world.request("ada@example.com", by: ada) } == .forbidden)
        var request = CodeRequest(id: world.newID(), identity: .phone(try #require(E164("+436641234567"))))
        #expect(
            await errorCode { try await world.send(request, by: ada) }
                == .forbidden)
        request.device = String(repeating: "x", count: Limits.deviceName + 1)
        #expect(
            await errorCode { try await world.send(request, by: ada) }
                == .malformed)
        request.device = nil
        request.languages = Array(repeating: "de", count: Limits.languages + 1)
        #expect(
            await errorCode { try await world.send(request, by: ada) }
                == .malformed)
    }

    @Test("The last way in is removed only if the request says so; the account is then anonymous again") func removal()
        async throws
    {
        let world = try SignInWorld()
        let (ada, eve) = (try await world.open(), try await world.open())
        let identity = try await world.signIn("ada@example.com", by: ada).identity
        #expect(
            await errorCode { try await world.remove(identity, of: eve, evenLast: true) } == .notFound)
        #expect(await errorCode { try await world.remove(identity, of: ada, evenLast: false) } == .lastWayIn)
        try await world.remove(identity, of: ada, evenLast: true)
        #expect(try await world.recipients(of: .identity) == ["ada@example.com"])
        #expect(try await world.sessions.verify(ada.token)?.kind == "anonymous")
        world.clock.advance(.seconds(60))
        #expect(try await world.signIn("ada@example.com", by: eve).account == eve.account)
    }

    @Test("Closing one session or all of them leaves those of other accounts") func sessions() async throws {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        _ = try await world.signIn("ada@example.com", by: phone)
        world.clock.advance(.seconds(60))
        let second = try #require(try await world.signIn("ada@example.com", by: tablet).token)
        let others = try await world.sessions.list(of: phone.account, by: second).sessions.filter { !$0.isCurrent }
        #expect(
            await errorCode { try await world.sessions.close(others[0].id, of: tablet.account) } == .notFound)
        try await world.sessions.close(others[0].id, of: phone.account)
        #expect(try await world.sessions.verify(phone.token) == nil)
        try await world.sessions.closeAll(of: phone.account)
        #expect(try await world.sessions.verify(second) == nil)
        #expect(try await world.sessions.verify(tablet.token) != nil)
    }
}

extension CodeServiceTests {
    @Test("A new email replaces the old one only when the code is right, and the old one then receives a message")
    func replacing() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        let old = try await world.signIn("old@example.com", by: ada).identity
        let sent = try await world.request("new@example.com", by: ada, replacing: old)
        func emails() async throws -> [String] {
            try await world.identities.list(of: ada.account).identities.map(\.identity.shown)
        }
        #expect(try await emails() == ["old@example.com"])
        let code = try await world.code(of: sent)
        for _ in 0..<2 {
            #expect(try await world.check(code, of: sent, by: ada).account == ada.account)
            #expect(try await emails() == ["new@example.com"])
        }
        #expect(try await world.recipients(of: .identity) == ["old@example.com"])
        #expect(try await world.sessions.verify(ada.token)?.kind == "identified")
    }

    @Test("An email of another account replaces nothing, and opens no session of it") func replacingOthers()
        async throws
    {
        let world = try SignInWorld()
        let (ada, ben) = (try await world.open(), try await world.open())
        let old = try await world.signIn("ada@example.com", by: ada).identity
        _ = try await world.signIn("ben@example.com", by: ben)
        world.clock.advance(.seconds(60))
        let sent = try await world.request("ben@example.com", by: ada, replacing: old)
        let code = try await world.code(of: sent)
        #expect(await errorCode { try await world.check(code, of: sent, by: ada) } == .conflict)
        #expect(try await world.identities.list(of: ada.account).identities.map(\.identity) == [old])
        #expect(try await world.sessions.list(of: ben.account, by: ben.token).sessions.count == 1)
        #expect(
            await errorCode { try await world.request("x@example.com", by: ben, replacing: old) } == .notFound,
            "An account replaces only what it has.")
    }

    @Test("Trap: An email is moved to another account while its old one removes or replaces it – it stays there")
    func movedMeanwhile() async throws {
        let world = try SignInWorld()
        let (ada, ben) = (try await world.open(), try await world.open())
        let old = try await world.signIn("old@example.com", by: ada).identity
        let overtaken = OvertakenDatabase(world.database) { [account = ben.account] sql, transaction in
            guard sql.hasPrefix("DELETE FROM identity WHERE value") else { return }
            try transaction.execute(
                "UPDATE identity SET account = ? WHERE value = ?", [.id(account), .text(old.text)])
        }
        let identities = IdentityService(
            database: overtaken, messages: world.queue, discoveryKeys: world.keys, signals: .none)
        let refused = await errorCode {
            try await identities.remove(old, of: ada.account, evenLast: true, from: "203.0.113.7", at: world.now)
        }
        #expect(refused == .notFound)
        // That has undone the move, too.
        let sent = try await world.request("new@example.com", by: ada, replacing: old)
        let code = try await world.code(of: sent)
        let codes = CodeService(
            database: overtaken, messages: world.queue, discoveryKeys: world.keys, signals: .none)
        _ = try await codes.check(code, of: sent.id, by: world.requester(ada), at: world.now)
        #expect(try await world.identities.list(of: ben.account).identities.map(\.identity) == [old])
    }
}
