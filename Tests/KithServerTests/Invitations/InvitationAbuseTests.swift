import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Invitations of people who mean no good") struct InvitationAbuseTests {
    private let world: InvitationWorld
    private var eve: Phone
    private var ben: Phone

    init() throws {
        var limits = MessageLimits()
        limits.ofRecipient = 2
        world = try InvitationWorld(limits: limits)
        eve = try world.person("Eve")
        ben = try world.person("Ben")
        try world.prove("mailto:ben@example.com", by: ben)
    }

    private mutating func reasons(_ recipients: [String]) throws -> [MessageFailure.Reason?] {
        for recipient in recipients { try eve.sync(eve.invite(recipient)) }
        try world.work()
        try eve.sync()
        return eve.invitations.map(\.failure?.reason)
    }

    @Test(
        "A name that a message cannot show stops neither the invitation nor those of other people",
        arguments: [" ", "\u{202E}", "\u{200B}\u{FEFF}", String(repeating: "e", count: 100)])
    mutating func names(name: String) throws {
        try eve.sync(eve.profile(["given": .text(name), "family": .text(name.count > 1 ? name : "")]))
        try eve.sync(eve.invite("mailto:guest@example.com"))
        world.town.pass(.seconds(1))
        var ada = try world.person("Ada")
        try ada.sync(ada.invite("mailto:other@example.com"))
        try world.work()
        try eve.sync()
        try ada.sync()
        #expect(try eve.invitation().status == .pending && eve.invitation().notified != nil)
        #expect(try ada.invitation().notified != nil)
        #expect(try world.messages().count == 2)
    }

    @Test("A name that a message cannot show does not keep its owner from accepting", arguments: [" ", "\u{202E}"])
    mutating func acceptingName(name: String) throws {
        try world.prove("mailto:eve@example.com", by: eve)
        try ben.sync(ben.profile(["given": .text(name)]))
        try eve.sync(eve.invite("mailto:ben@example.com"))
        try world.work()
        try ben.sync()
        try ben.sync(ben.answer(ben.invitation(), .accept))
        try world.work()
        try eve.sync()
        #expect(try eve.invitation().status == .accepted)
        #expect(try world.messages(.joined).count == 1)
    }

    @Test("Trap: Who is blocked finds it out by the limit of the recipient – it is used up all the same")
    mutating func blockedInviter() throws {
        try ben.sync(ben.contact(eve, ["isBlocked": true]))
        let list: FeedID = world.town.id()
        try eve.sync(eve.create(list))
        for recipient in ["mailto:ben@example.com", "mailto:nobody@example.com"] {
            for purpose in [Invitation.Purpose.connect, .join, .list(list.retyped(), .viewer)] {
                try eve.sync(eve.invite(recipient, purpose))
            }
        }
        let all = try reasons([])
        #expect(all == [nil, nil, .recipientLimit, nil, nil, .recipientLimit])
        #expect(try world.messages().count == 2, "Nothing is sent to Ben.")
    }

    @Test("Trap: Another spelling of a number evades its limits and its owner – it is the number itself")
    func spellings() throws {
        let world = try InvitationWorld(sendsSMS: true)
        var (eve, ben) = (try world.person("Eve"), try world.person("Ben"))
        try world.prove("tel:+436641234567", by: ben)
        try eve.sync(eve.invite("tel:+4306641234567"))
        try world.work()
        try eve.sync(eve.invite("tel:+436641234567"))
        try world.work()
        try eve.sync()
        try ben.sync()
        #expect(eve.invitations.map(\.failure?.reason) == [nil, .alreadyInvited])
        #expect(ben.invitations.count == 1)
        let recipients = try world.town.database.readNow { transaction in
            try transaction.query("SELECT recipient FROM message").map { try $0.text(0) }
        }
        #expect(recipients == ["+436641234567"])
        // Who invites themselves in this way finds it out.
        try ben.sync(ben.invite("tel:+4306641234567"))
        try world.work()
        try ben.sync()
        #expect(ben.invitations.contains { $0.failure?.reason == .yourself })
    }

    @Test("A revoked link ends with the edit, not when the background job has come to it")
    mutating func revoked() async throws {
        try eve.sync(eve.invite("mailto:guest@example.com"))
        try world.work()
        try eve.sync()
        let secret = try world.lastSecret()
        try eve.sync(eve.edit(eve.invitation(), ["isRevoked": true]))
        let (service, account, now) = (world.service, ben.account, world.town.now)
        #expect(await errorCode { try await service.preview(secret, at: now) } == .linkExpired)
        #expect(await errorCode { try await service.accept(secret, by: account, at: now) } == .linkExpired)
    }

    @Test("Trap: One account orders hundreds of invitations – those of others, and answers, do not wait behind it")
    mutating func flood() async throws {
        var (ada, cleo) = (try world.person("Ada"), try world.person("Cleo"))
        try ada.sync(ada.invite("mailto:ben@example.com"))
        try world.work()
        try ben.sync()
        let flood = (0..<300).map { eve.invite("mailto:guest\($0)@example.com") }
        try eve.sync(flood)
        world.town.pass(.minutes(2))
        try cleo.sync(cleo.invite("mailto:friend@example.com"))
        try ben.sync(ben.answer(ben.invitation(), .accept))
        try await work(steps: 2)
        try ada.sync()
        try cleo.sync()
        #expect(try ada.invitation().status == .accepted && cleo.invitation().notified == world.town.now)
        try world.work()
        try eve.sync()
        #expect(eve.invitations.count { $0.notified != nil } == Limits.invitationsADay)
    }

    @Test("Trap: The recipient’s account is still to be told – the sender’s next invitation does not wait behind that")
    mutating func nextInvitation() async throws {
        try world.work()
        var ada = try world.person("Ada")
        try ada.sync(ada.invite("mailto:first@example.com"))
        try await work(steps: 1)
        world.town.pass(.minutes(2))
        for number in 1...3 { try eve.sync(eve.invite("mailto:guest\(number)@example.com")) }
        try ada.sync(ada.invite("mailto:second@example.com"))
        try await work(steps: 2)
        try ada.sync()
        #expect(ada.invitations.count { $0.notified != nil } == 2)
    }

    @Test("Trap: To unblock a contact orders work on all invitations between the two – those of others come first")
    mutating func unblocking() async throws {
        var cleo = try world.person("Cleo")
        try world.prove("mailto:cleo@example.com", by: cleo)
        try eve.sync(eve.wish(.connect, ben))
        try ben.sync()
        try ben.sync(ben.wish(.accept, eve))
        try eve.sync()
        try eve.sync(eve.contact(ben, ["isBlocked": true]))
        let many = (0..<5).map { _ in
            eve.invite("mailto:ben@example.com", .connect, ["delivery": "device", "requested": .null])
        }
        try eve.sync(many)
        #expect(eve.invitations.count == many.count)
        try world.work()
        try eve.sync(eve.contact(ben, ["isBlocked": false]))
        world.town.pass(.seconds(1))
        try ben.sync(ben.invite("mailto:cleo@example.com"))
        try await work(steps: 2)
        try cleo.sync()
        #expect(cleo.invitations.count == 1)
    }

    /// Does the first steps of what the background job has to do, and not the others.
    private func work(steps: Int) async throws {
        let now = world.town.now
        let stopping = InterruptedDatabase(world.town.database) { write in if write > steps { throw Stopped() } }
        let service = InvitationService(database: stopping, signals: .none, dependencies: world.dependencies)
        await #expect(throws: Stopped.self) { try await service.work(at: now) }
    }

    private struct Stopped: Error {}

    @Test("Trap: An order comes while the job is busy – it is carried out at its own time, not at the start of the job")
    mutating func duringWork() async throws {
        var ada = try world.person("Ada")
        try ada.sync(ada.invite("mailto:first@example.com"))
        try eve.sync(eve.invite("mailto:second@example.com"))
        let service = world.service
        let clock = Mutex(world.town.now)
        try await service.work(
            at: clock.withLock { time in
                time = time + .seconds(1)
                return time
            })
        try ada.sync()
        try eve.sync()
        let times = try [ada, eve].map { try $0.invitation().notified }
        #expect(!times.contains(nil) && Set(times).count == 2)
    }

    /// A service that cannot send its first message, because there is no link for it.
    private func service(on database: any Database) -> InvitationService {
        let links = LinksAfterFirst()
        let dependencies = InvitationDependencies(
            messages: world.queue, link: { links.link("https://kith.example/\($0)") })
        return InvitationService(database: database, signals: .none, dependencies: dependencies)
    }

    @Test("Trap: An invitation that cannot be processed stops all others – it waits, and they go out")
    mutating func poison() async throws {
        let service = service(on: world.town.database)
        try eve.sync(eve.invite("mailto:first@example.com"))
        world.town.pass(.seconds(1))
        try ben.sync(ben.invite("mailto:second@example.com"))
        let now = world.town.now
        #expect(await errorCode { try await service.work(at: now) } == .malformed)
        #expect(try world.messages().count == 1)
        world.town.pass(.seconds(3_600))
        let later = world.town.now
        try await service.work(at: later)
        #expect(try world.messages().count == 2)
    }

    @Test("Trap: An invitation whose recipient cannot be read stops all others – it waits, and they go out")
    mutating func unreadable() async throws {
        try eve.sync(eve.invite("mailto:first@example.com"))
        try world.town.execute("UPDATE invitation SET recipient = 'nobody'")
        world.town.pass(.seconds(1))
        try ben.sync(ben.invite("mailto:second@example.com"))
        let (service, now) = (world.service, world.town.now)
        #expect(await errorCode { try await service.work(at: now) } == .internalError)
        #expect(try world.messages().count == 1)
        #expect(await errorCode { try await service.work(at: now) } == nil, "It waits.")
        try world.town.execute(
            "UPDATE invitation SET recipient = 'mailto:first@example.com' WHERE recipient = 'nobody'")
        world.town.pass(.seconds(3_600))
        let later = world.town.now
        try await service.work(at: later)
        #expect(try world.messages().count == 2)
    }

    @Test(
        """
        Trap: Two nodes fail with the same invitation, and each lets the one wait that is next now – only the invitation \
        that has failed waits
        """)
    mutating func poisonOfTwoNodes() async throws {
        try world.work()
        try eve.sync(eve.invite("mailto:first@example.com"))
        world.town.pass(.seconds(1))
        try eve.sync(eve.invite("mailto:second@example.com"))
        let (database, now) = (world.town.database, world.town.now)
        // Before this node lets the first invitation wait, the other one has done so.
        let overtaken = InterruptedDatabase(database) { write in
            guard write == 2 else { return }
            try database.writeNow { transaction in
                try transaction.execute(
                    "UPDATE invitation SET due = ? WHERE due = (SELECT min(due) FROM invitation)",
                    [.time(now + .seconds(3_600))])
            }
        }
        let service = service(on: overtaken)
        #expect(await errorCode { try await service.work(at: now) } == .malformed)
        #expect(try world.messages().count == 1, "The second invitation is sent.")
    }

    @Test("Trap: News of an identity cannot be told, and an invitation that waits behind it is postponed – it is not")
    mutating func newsFail() async throws {
        try eve.sync(eve.invite("mailto:guest@example.com"))
        try world.prove("mailto:eve@example.com", by: eve)
        let now = world.town.now
        let isBroken = Mutex(true)
        let database = OvertakenDatabase(world.town.database) { sql, _ in
            if isBroken.withLock({ $0 }), sql.contains("DELETE FROM identity_news") {
                throw ServerError(.internalError, "The news cannot be read.")
            }
        }
        let service = InvitationService(database: database, signals: .none, dependencies: world.dependencies)
        #expect(await errorCode { try await service.work(at: now) } == .internalError)
        isBroken.withLock { $0 = false }
        try await service.work(at: now)
        #expect(try world.messages().count == 1)
    }
}
