import Foundation
import KithModel
import KithServer
import Logging
import Metrics
import Testing

@Suite("Signing in with a phone number") struct PhoneCodeTests {
    private static let ada = "+436641234567"

    /// A world that sends to Austria and Germany.
    private func world(
        database: (any ImmediateDatabase)? = nil, seed: UInt64 = 11, _ change: (inout PhoneSettings) -> Void = { _ in },
        codes: (inout SignInSettings) -> Void = { _ in }
    ) throws -> SignInWorld {
        var settings = PhoneSettings()
        settings.numberingPlan = TestPlan()
        settings.countries = [TestPlan.austria, TestPlan.germany]
        change(&settings)
        return try SignInWorld(database: database, phone: settings, seed: seed) {
            // Limits that are not what these tests are about.
            $0.limits.ofAccount = 10_000
            $0.limits.ofSession = 10_000
            $0.limits.ofNetwork = 10_000
            codes(&$0)
        }
    }

    /// The numbers of one prefix.
    private func number(_ index: Int, prefix: String = "+43664123") -> String {
        prefix + String(String(10_000 + index).dropFirst())
    }

    private func paused(_ world: SignInWorld) async throws -> [PausedPrefix] {
        try await world.database.read { try PausedPrefix.all(100, in: $0) }
    }

    @Test("A right code gives the number to the session's account, and a second device signs in with it")
    func signIn() async throws {
        let world = try world()
        let (phone, tablet) = (try await world.open(), try await world.open())
        #expect(try await world.signIn(Self.ada, by: phone).account == phone.account)
        #expect(try await world.sessions.verify(phone.token)?.kind == "identified")
        #expect(try await world.identities.list(of: phone.account).identities.map(\.identity.shown) == [Self.ada])
        world.clock.advance(.seconds(60))
        let proved = try await world.signIn(Self.ada, by: tablet)
        #expect(proved.account == phone.account && proved.token != nil)
    }

    @Test("A number as it is written in a country is the same number as in E.164 form")
    func national() async throws {
        let world = try world()
        let session = try await world.open()
        let request = CodeRequest(id: world.newID(), number: "0664 / 123-4567", in: TestPlan.austria)
        let sent = try await world.send(request, by: session)
        #expect(sent.identity?.shown == Self.ada)
        #expect(try await world.send(request, by: session) == sent)
        #expect(await errorCode { try await world.request(Self.ada, by: session) } == .tooFast)
        #expect(try await world.check(try await world.code(of: sent), of: sent, by: session).identity.shown == Self.ada)
    }

    @Test("Trap: letters count as digits, so the code goes to a stranger – a text with letters is no number")
    func letters() async throws {
        let world = try world()
        let request = CodeRequest(id: world.newID(), number: "0664 1234567 Bcc", in: TestPlan.austria)
        #expect(await errorCode { try await world.send(request, by: try await world.open()) } == .malformed)
    }

    @Test("Without countries the error names the setting that is missing") func off() async throws {
        let world = try world { $0.countries = [] }
        let session = try await world.open()
        do {
            try await world.request(Self.ada, by: session)
            Issue.record("A code was sent.")
        } catch let error as ServerError {
            #expect(error.code == .forbidden && error.sentence.contains("sms-countries"))
        }
        #expect(world.codes.countries.countries.isEmpty)
        #expect(try SignInWorld().codes.countries.countries.isEmpty)
    }

    @Test(
        "A number of another country, a fixed line, a premium number and a short code get no code, and cost nothing",
        arguments: [
            ("+13015550123", Problem.Code.forbidden), ("+4312345678", .malformed), ("+43900123456", .malformed),
            ("+43133", .malformed),
        ])
    func refused(number: String, code: Problem.Code) async throws {
        let world = try world()
        let session = try await world.open()
        #expect(await errorCode { try await world.request(number, by: session) } == code)
        for table in ["code", "message", "sms", "usage"] { #expect(try await world.count(table) == 0, "\(table)") }
    }

    @Test("A request has an identity, or a country with a number, and nothing else") func form() async throws {
        let world = try world()
        let session = try await world.open()
        var request = CodeRequest(id: world.newID(), number: "0664 1234567", in: TestPlan.austria)
        request.country = nil
        #expect(await errorCode { try await world.send(request, by: session) } == .malformed)
        request.country = TestPlan.austria
        request.identity = Identity("mailto:ada@example.com")
        #expect(await errorCode { try await world.send(request, by: session) } == .malformed)
        request.identity = nil
        request.number = "none"
        do {
            _ = try await world.send(request, by: session)
        } catch let error as ServerError {
            #expect(error.code == .malformed && error.path == "$.number")
        }
    }

    @Test("Trap: An answer tells whether somebody has the number – it is the same until the code was right")
    func sameAnswers() async throws {
        let world = try world()
        let (ada, eve) = (try await world.open(), try await world.open())
        _ = try await world.signIn(Self.ada, by: ada)
        world.clock.advance(.days(2))
        let (known, unknown) = (
            try await world.request(Self.ada, by: eve), try await world.request(number(1), by: eve)
        )
        #expect(known.expires == unknown.expires && known.again == unknown.again && known.digits == unknown.digits)
        #expect(await errorCode { try await world.check("x", of: known, by: eve) } == .codeWrong)
        #expect(await errorCode { try await world.check("x", of: unknown, by: eve) } == .codeWrong)
        for other in [Self.ada, number(1)] {
            #expect(await errorCode { try await world.request(other, by: eve) } == .tooFast)
        }
    }

    @Test("The next SMS to a number can be requested after 1, 2, 5 and 10 minutes") func pauses() async throws {
        let world = try world()
        let session = try await world.open()
        for pause in [60, 120, 300, 600, 600] {
            try await world.request(Self.ada, by: session)
            world.clock.advance(.seconds(pause - 1))
            #expect(await errorCode { try await world.request(Self.ada, by: session) } == .tooFast)
            world.clock.advance(.seconds(1))
        }
        #expect(try await world.count("sms") == 5)
    }

    @Test("Codes by SMS are limited for an account, a device, a network and in total", arguments: 0..<4)
    func limits(of scope: Int) async throws {
        let world = try world(codes: {
            if scope == 0 { $0.limits.ofAccount = 2 }
            if scope == 1 { $0.limits.ofSession = 2 }
            if scope == 2 { $0.limits.ofNetwork = 2 }
            if scope == 3 { $0.limits.inAll = 2 }
        })
        let sessions = [try await world.open(), try await world.open(), try await world.open()]
        func request(_ index: Int) async throws {
            let session = sessions[scope < 2 ? 0 : index]
            try await world.request(number(index), by: session, from: "203.0.\(scope == 2 ? 113 : index).7")
        }
        try await request(0)
        try await request(1)
        #expect(await errorCode { try await request(2) } == .quotaExceeded)
        world.clock.advance(.days(1))
        try await request(2)
    }

    // MARK: SMS pumping

    @Test("Twenty SMS go to the numbers of one prefix in an hour; another prefix is not affected") func velocity()
        async throws
    {
        let world = try world()
        let session = try await world.open()
        for index in 0..<20 { try await world.request(number(index), by: session) }
        #expect(await errorCode { try await world.request(number(20), by: session) } == .tooFast)
        try await world.request(number(0, prefix: "+43664124"), by: session)
        world.clock.advance(.seconds(3600))
        try await world.request(number(20), by: session)
    }

    /// Requests `count` codes for new numbers of a prefix, of which the first `entered` are entered, and lets them
    /// expire.
    private func request(
        _ count: Int, from start: Int = 0, entered: Int, in world: SignInWorld, by session: NewSession
    ) async throws {
        for index in 0..<count {
            // A right code belongs to the account that asked, so each number has a session of its own.
            let requester = index < entered ? try await world.open() : session
            let sent = try await world.request(number(start + index), by: requester)
            if index < entered { _ = try await world.check(try await world.code(of: sent), of: sent, by: requester) }
            world.clock.advance(.seconds(240))
        }
        world.clock.advance(.seconds(600))
    }

    @Test("A prefix is paused if fewer than a fifth of 50 codes were entered, until the operator releases it")
    func pausing() async throws {
        let world = try world()
        let session = try await world.open()
        try await request(50, entered: 9, in: world, by: session)
        #expect(await errorCode { try await world.request(number(50), by: session) } == .quotaExceeded)
        let found = try await paused(world)
        #expect(found.map(\.prefix.text) == ["+43664123"] && found.map(\.entered) == [9] && found.map(\.judged) == [50])
        world.clock.advance(.days(2))
        #expect(await errorCode { try await world.request(number(50), by: session) } == .quotaExceeded)
        try await world.request(number(0, prefix: "+43664124"), by: session)

        let prefix = try #require(found.first?.prefix)
        #expect(try await world.database.write { try PausedPrefix.release(prefix, at: world.now, in: $0) })
        #expect(try await !world.database.write { try PausedPrefix.release(prefix, at: world.now, in: $0) })
        world.clock.advance(.seconds(1))
        try await world.request(number(50), by: session)
        #expect(try await paused(world).isEmpty, "Codes of before the release are not judged again.")
        world.clock.advance(.seconds(3600))
        try await request(50, from: 100, entered: 0, in: world, by: session)
        #expect(await errorCode { try await world.request(number(60), by: session) } == .quotaExceeded)
        #expect(try await paused(world).map(\.entered) == [0])
    }

    @Test("A prefix stays open if a fifth of 50 codes were entered") func honest() async throws {
        let world = try world()
        let session = try await world.open()
        try await request(50, entered: 10, in: world, by: session)
        try await world.request(number(50), by: session)
        #expect(try await paused(world).isEmpty)
    }

    @Test("Codes that can still be entered are not judged") func pending() async throws {
        let world = try world({ $0.limits.messagesAnHour = 1_000 })
        let session = try await world.open()
        for index in 0..<60 { try await world.request(number(index), by: session) }
        #expect(try await paused(world).isEmpty)
        world.clock.advance(.seconds(600))
        #expect(await errorCode { try await world.request(number(60), by: session) } == .quotaExceeded)
    }

    @Test("The SMS of a day (UTC) are limited in total, and the next day the count begins again") func budget()
        async throws
    {
        let world = try world({ $0.messagesADay = 2 })
        let session = try await world.open()
        try await world.request(number(0), by: session)
        try await world.request(number(0, prefix: "+49151000"), by: session)
        #expect(await errorCode { try await world.request(number(1), by: session) } == .quotaExceeded)
        try await world.request("ada@example.com", by: session)
        world.clock.advance(.days(1))
        try await world.request(number(1), by: session)
    }

    @Test("Pauses and all counts survive a restart") func restart() async throws {
        let before = try world({ $0.messagesADay = 21 })
        let session = try await before.open()
        for index in 0..<20 { try await before.request(number(index), by: session) }
        try await before.database.write { [before] in
            try PausedPrefix(prefix: #require(NumberPrefix("+43664999")), since: before.now, entered: 0, judged: 50)
                .insert(in: $0)
        }
        let after = try world(database: before.database, seed: 12, { $0.messagesADay = 21 })
        #expect(await errorCode { try await after.request(number(20), by: session) } == .tooFast)
        let other = number(0, prefix: "+43664999")
        #expect(await errorCode { try await after.request(other, by: session) } == .quotaExceeded)
        try await after.request(number(0, prefix: "+43664124"), by: session)
        #expect(
            await errorCode { try await after.request(number(1, prefix: "+43664124"), by: session) } == .quotaExceeded)
    }

    @Test("An invitation by SMS obeys the same rules, and counts") func invitations() async throws {
        let world = try world({ $0.messagesADay = 1 })
        #expect(try await invite(1, "+13015550123", in: world) == .failed(MessageFailure(.countryNotAllowed)))
        #expect(try await invite(2, "+4312345678", in: world) == .failed(MessageFailure(.notMobile)))
        #expect(try await invite(3, Self.ada, in: world) == .queued)
        #expect(try await invite(4, number(1), in: world) == .failed(MessageFailure(.budget)))
        #expect(try await world.count("sms") == 1)
    }

    /// Queues an invitation by SMS.
    private func invite(
        _ index: UInt8, _ number: String, text: String = "", in world: SignInWorld
    ) async throws -> MessageState {
        var message = OutgoingMessage.invitation(index, to: number, values: ["text": text])
        message.channel = .sms
        let now = world.now
        return try await world.database.write { [message] in try world.queue.add(message, at: now, in: $0) }
    }

    @Test("Trap: Another spelling of a number is outside of its paused prefix – it gets no SMS") func spellings()
        async throws
    {
        let world = try world()
        let now = world.now
        try await world.database.write {
            try PausedPrefix(prefix: #require(NumberPrefix("+43664123")), since: now, entered: 0, judged: 50)
                .insert(in: $0)
        }
        #expect(try await invite(1, Self.ada, in: world) == .failed(MessageFailure(.prefixPaused)))
        #expect(try await invite(2, "+4306641234567", in: world) == .failed(MessageFailure(.notMobile)))
        let session = try await world.open()
        #expect(await errorCode { try await world.request("+4306641234567", by: session) } == .quotaExceeded)
    }

    @Test("Trap: An invitation of many parts costs as much as many SMS – the SMS of a day are counted in parts")
    func parts() async throws {
        let world = try world({ $0.messagesADay = 10 })
        let long = String(repeating: "ó", count: Limits.invitationText)
        #expect(try await invite(1, number(1), text: long, in: world) == .queued)
        #expect(try await invite(2, number(2), text: long, in: world) == .queued)
        // Two of the eight parts for invitations are left.
        #expect(try await invite(3, number(3), text: long, in: world) == .failed(MessageFailure(.budget)))
        #expect(try await invite(4, number(4), text: "Come!", in: world) == .queued)
        let used = try await world.database.read {
            try $0.query("SELECT amount FROM usage WHERE kind = 'sms'").map { try $0.integer(0) }
        }
        #expect(used == [7])
    }

    @Test("Trap: Invitations use up the SMS of the day – codes have a fifth of them for themselves") func reserve()
        async throws
    {
        let world = try world({ $0.messagesADay = 5 })
        for index in 0..<5 as Range<UInt8> {
            let state = try await invite(index, number(Int(index)), in: world)
            #expect(state == (index < 4 ? .queued : .failed(MessageFailure(.budget))))
        }
        let session = try await world.open()
        try await world.request(Self.ada, by: session)
        #expect(await errorCode { try await world.request(number(9), by: session) } == .quotaExceeded)
    }

    @Test("Trap: Invitations use up the SMS of a prefix – codes have half of them for themselves")
    func reserveOfPrefix()
        async throws
    {
        let world = try world()
        for index in 0..<10 as Range<UInt8> {
            #expect(try await invite(index, number(Int(index)), in: world) == .queued)
        }
        #expect(try await invite(10, number(10), in: world) == .failed(MessageFailure(.prefixLimit)))
        let session = try await world.open()
        for index in 11..<21 { try await world.request(number(index), by: session) }
        #expect(await errorCode { try await world.request(number(21), by: session) } == .tooFast)
        world.clock.advance(.seconds(3600))
        #expect(try await invite(11, number(10), in: world) == .queued)
    }

    @Test("Deleting an account does not reset the counts of its numbers") func deletion() async throws {
        let world = try world()
        let session = try await world.open()
        for index in 0..<20 { try await world.request(number(index), by: session) }
        try await AccountService(database: world.database, signals: .none).delete(session.account, at: world.now)
        let other = try await world.open()
        #expect(await errorCode { try await world.request(number(20), by: other) } == .tooFast)
    }

    @Test("A pause is logged once, and the metrics show the paused prefixes") func told() async throws {
        let world = try world()
        let (log, registry) = (LogKeeper(), PrometheusRegistry())
        let watch = PauseWatch(database: world.database, metrics: SMSMetrics(registry), logger: log.logger)
        try await watch.run()
        #expect(log.text.isEmpty && registry.text.contains("kith_sms_paused_prefixes 0"))
        try await request(50, entered: 0, in: world, by: try await world.open())
        #expect(await errorCode { try await world.request(number(50), by: try await world.open()) } == .quotaExceeded)
        for _ in 1...2 { try await watch.run() }
        #expect(log.text.split(separator: "\n").count == 1 && log.text.contains("kith admin sms"))
        #expect(log.text.contains("+43664123") && registry.text.contains("kith_sms_paused_prefixes 1"))
    }

    @Test("Trap: The clock was ahead, and nobody signs in until it has caught up – what was sent then does not count")
    func clockAhead() async throws {
        let world = try world(codes: {
            $0.limits = CodeLimits()
            $0.limits.inAll = 50
        })
        let ahead = world.now + .seconds(5 * 3600)
        func send(to number: String, by session: NewSession) async throws {
            let request = CodeRequest(id: world.newID(), identity: try #require(Identity("tel:\(number)")))
            try await world.send(request, by: session, at: ahead)
        }
        var sessions: [NewSession] = []
        for prefix in 1...5 {
            let session = try await world.open()
            for index in 0..<10 { try await send(to: number(index, prefix: "+4366412\(prefix)"), by: session) }
            sessions.append(session)
        }
        let session = try #require(sessions.first)
        #expect(await errorCode { try await send(to: Self.ada, by: session) } == .quotaExceeded)
        let sent = try await world.request(number(0, prefix: "+43664121"), by: session)
        #expect(try await world.check(try await world.code(of: sent), of: sent, by: session).account == session.account)
    }

    @Test("Messages are judged for 30 days, and then deleted") func purge() async throws {
        let world = try world()
        try await world.request(Self.ada, by: try await world.open())
        try await Housekeeping(database: world.database, signals: .none).purge(world.now + .days(30))
        #expect(try await world.count("sms") == 1)
        try await Housekeeping(database: world.database, signals: .none).purge(world.now + .days(31))
        #expect(try await world.count("sms") == 0)
    }
}
