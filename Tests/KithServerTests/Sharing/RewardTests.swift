import KithModel
import KithServer
import Testing

@Suite("Rewards for friends") struct RewardTests {
    private var world: SharingWorld
    private var ada: Phone
    private var ben: Phone

    init() throws {
        world = try SharingWorld()
        (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.shareable("ADA-TEA"))
    }

    /// Begins again with other parts of the programme.
    private mutating func begin(_ parts: String) throws {
        world = try SharingWorld(parts)
        (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.shareable("ADA-TEA"))
    }

    /// Ben uses Ada's code and signs up.
    private mutating func join(_ identity: String = "mailto:ben@example.com") throws {
        try ben.sync(ben.use("ADA-TEA"))
        world.town.pass(.seconds(60))
        try world.prove(identity, by: ben)
        try hear()
    }

    private mutating func hear() throws {
        try world.work()
        try ada.sync()
        try ben.sync()
    }

    private var town: Town { world.town }

    @Test("Trap: self-referral – another tag or other dots of a mailbox are the same person, and nobody is rewarded")
    mutating func selfReferral() async throws {
        try world.prove("mailto:ada.king@example.com", by: ada)
        try join("mailto:adaking+tea@example.com")
        #expect(ada.referrals.map(\.state) == [.refused] && ada.rewards.isEmpty && ben.rewards.isEmpty)
        let entries = try await world.referrals.list()
        #expect(entries.map(\.reasons) == [[.selfReferral]] && entries.first?.decided == town.now)
        #expect(try await world.referrals.list(.granted).isEmpty)
        #expect(try await world.referrals.list(programme: "other").isEmpty)
    }

    @Test("Trap: duplicates – a person who was referred before earns nothing with a new account")
    mutating func duplicate() async throws {
        try join()
        #expect(ada.rewards.count == 1)
        try town.delete(ben.account)
        ben = try world.person("Ben")
        try join("mailto:ben+2@example.com")
        #expect(ada.referrals.map(\.state) == [.granted, .refused] && ada.rewards.count == 1 && ben.rewards.isEmpty)
        #expect(try await world.referrals.list(.refused).map(\.reasons) == [[.duplicate]])
    }

    @Test("Trap: duplicates – so does a person with an email that the first account has proved later")
    mutating func laterIdentity() async throws {
        try join()
        try world.prove("mailto:ben@example.org", by: ben)
        try town.delete(ben.account)
        ben = try world.person("Ben")
        try join("mailto:ben@example.org")
        #expect(ada.referrals.map(\.state) == [.granted, .refused] && ada.rewards.count == 1 && ben.rewards.isEmpty)
        #expect(try await world.referrals.list(.refused).map(\.reasons) == [[.duplicate]])
        #expect(try world.count("sharing_work") == 0)
    }

    @Test("Rewards that are held for some days are given after that, once")
    mutating func held() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"holding-days":3}"#)
        try join()
        #expect(ada.referrals.map(\.state) == [.held] && ada.rewards.isEmpty && ben.rewards.isEmpty)
        let entry = try #require(try await world.referrals.list(.held).first)
        #expect(entry.reasons == [.holding] && entry.until == town.now + .days(3) && entry.friend == ben.account)
        town.pass(.days(3) - .seconds(1))
        try hear()
        #expect(ada.rewards.isEmpty)
        town.pass(.seconds(1))
        try hear()
        #expect(ada.referrals.map(\.state) == [.granted] && ada.rewards.count == 1 && ben.rewards.count == 1)
    }

    @Test(
        "Trap: A clock that is ahead for some seconds would decide held rewards for good – they wait, and emails do not"
    )
    mutating func clockAhead() async throws {
        try begin(
            #"""
            \#(SharingWorld.rewards),"guards":{"holding-days":3},
            "shares":{"email":{"subject":{"en":"Tea"},"text":{"en":"{{link}}"}}}
            """#)
        try join()
        let clock = HandClock()
        let trusted = TrustedClock(clock.server, town.database, LogKeeper().logger)
        let service = SharingService(
            database: town.database, signals: .none, dependencies: world.dependencies,
            isTrusted: { try await trusted.check($0) })
        let joined = town.now
        try await service.work(at: joined)
        try ada.sync(ada.share(.email, to: "mailto:cleo@example.com"))
        try await service.work(at: joined + .days(60))
        #expect(try world.messages().count == 1)
        #expect(try await world.referrals.list(.held).count == 1)
        // The clock is right again.
        try await service.work(at: joined + .seconds(5))
        #expect(try await world.referrals.list(.held).count == 1)
        // After a stop of two months, it runs on.
        try await service.work(at: joined + .days(60))
        clock.advance(ClockWatch.patience)
        try await service.work(at: joined + .days(60) + ClockWatch.patience)
        #expect(try await world.referrals.list(.granted).count == 1)
    }

    @Test("Held rewards count when they are granted, so the limit of an advocate also holds for them")
    mutating func heldLimit() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"holding-days":3,"rewards":1}"#)
        try join()
        var cleo = try world.person("Cleo")
        try cleo.sync(cleo.use("ADA-TEA"))
        town.pass(.seconds(60))
        try world.prove("mailto:cleo@example.com", by: cleo)
        #expect(try await world.referrals.count(.held) == 2)
        town.pass(.days(3))
        try hear()
        try cleo.sync()
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1 && cleo.rewards.isEmpty)
        let refused = try #require(try await world.referrals.list(.refused).first)
        #expect(refused.reasons == [.holding, .limit])
        // The operator may give more.
        _ = try await world.referrals.release([refused.id], at: town.now)
        try hear()
        #expect(ada.rewards.count == 2)
    }

    @Test("A friend who deletes the account while the rewards are held brings none")
    mutating func gone() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"holding-days":3}"#)
        try join()
        try town.delete(ben.account)
        town.pass(.days(3))
        try world.work()
        try ada.sync()
        #expect(ada.referrals.map(\.state) == [.refused] && ada.rewards.isEmpty)
        #expect(try await world.referrals.list().map(\.reasons) == [[.holding, .gone]])
    }

    private static let disposable =
        #"\#(SharingWorld.rewards),"guards":{"disposable-domains":["example.net"],"review-days":10}"#

    @Test("A doubtful referral is refused if the operator does not decide in time")
    mutating func expired() throws {
        try begin(Self.disposable)
        try join("mailto:ben@example.net")
        #expect(ada.referrals.map(\.state) == [.held])
        town.pass(.days(10))
        try hear()
        #expect(ada.referrals.map(\.state) == [.refused] && ada.rewards.isEmpty)
    }

    @Test("The operator releases what is held, singly and in bulk, and repeating it changes nothing")
    mutating func released() async throws {
        try begin(Self.disposable)
        try join("mailto:ben@example.net")
        let id = try #require(try await world.referrals.list(.held).first).id
        #expect(try await world.referrals.list(.held).first?.reasons == [.disposable])
        let missing = ReferralRow.ID(town.id(Never.self).uuid)
        let first = try await world.referrals.release([missing, id], at: town.now)
        #expect(first.map(\.result) == [.unknown, .done])
        try hear()
        #expect(ada.referrals.map(\.state) == [.granted] && ada.rewards.count == 1 && ben.rewards.count == 1)
        for again in [
            try await world.referrals.release([id], at: town.now), try await world.referrals.refuse([id], at: town.now),
        ] {
            #expect(again.map(\.result) == [.unchanged])
        }
        try hear()
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1 && ada.referrals.map(\.state) == [.granted])
        #expect(try await world.referrals.list().map(\.isByOperator) == [true])
    }

    @Test("Trap: A damaged referral is listed as such, and the others are shown and released")
    mutating func damaged() async throws {
        try begin(Self.disposable)
        try join("mailto:ben@example.net")
        try town.execute("INSERT INTO referral \(SharingWorld.damagedReferral)")
        #expect(try await world.referrals.rows(.held).map { $0?.friend } == [ben.account, nil])
        let id = try #require(try await world.referrals.list().first).id
        #expect(try await world.referrals.release([id], at: town.now).map(\.result) == [.done])
    }

    @Test("The operator refuses what is held, and can still release it")
    mutating func refused() async throws {
        try begin(Self.disposable)
        try join("mailto:ben@example.net")
        let id = try #require(try await world.referrals.list(.held).first).id
        #expect(try await world.referrals.refuse([id], at: town.now).map(\.result) == [.done])
        town.pass(.days(20))
        try hear()
        #expect(ada.referrals.map(\.state) == [.refused] && ada.rewards.isEmpty)
        #expect(try await world.referrals.refuse([id], at: town.now).map(\.result) == [.unchanged])
        #expect(try await world.referrals.release([id], at: town.now).map(\.result) == [.done])
        try hear()
        #expect(ada.referrals.map(\.state) == [.granted] && ada.rewards.count == 1)
    }

    @Test("Trap: a reward is given twice – once, whatever is repeated")
    mutating func exactlyOnce() async throws {
        try ada.sync(ada.share(.sheet))
        try join()
        for _ in 1...3 {
            try world.repeatEverything(about: ada, ben)
            try ben.sync(ben.use("ada-tea"))
            try hear()
        }
        #expect(ada.referrals.count == 1 && ada.rewards.count == 1 && ben.rewards.count == 1)
        #expect(try world.count("reward") == 2 && world.count("referral") == 1 && world.count("attribution") == 1)
        let funnel = try await FunnelService(database: town.database).funnel()
        #expect(funnel.total(.joined) == 1 && funnel.total(.rewarded) == 1)
        #expect(Set(ben.claims.map(\.status)) == [.bound])
    }

    @Test("A reward for a later event is given when the event arrives, and the record of the event is removed")
    mutating func events() async throws {
        try begin(
            """
            "rewards":{
                "advocate":{"name":"voucher-5","title":{"en":"5 €"},"event":"purchase"},
                "friend":{"name":"voucher-3","title":{"en":"3 €"},"event":"joined"}
            }
            """)
        try join()
        #expect(ada.referrals.map(\.state) == [.granted] && ada.rewards.isEmpty && ben.rewards.count == 1)
        let id: SharingEventID = town.id()
        for _ in 1...2 {
            #expect(try ben.outcomes(ben.event("purchase", id: id), ben.event("visit")) == ["applied", "applied"])
            try hear()
            #expect(ben.events.isEmpty)
        }
        try ben.sync(ben.event("purchase"))
        try hear()
        #expect(ada.rewards.map(\.event) == ["purchase"] && ben.rewards.count == 1)
        #expect(try await FunnelService(database: town.database).funnel().total(.rewarded) == 1)
        // Nobody has brought Ada.
        try ada.sync(ada.event("purchase"))
        try hear()
        #expect(ada.rewards.count == 1)
    }

    @Test("While no event has earned anything, the referral says that the friend has joined")
    mutating func joined() throws {
        try begin(#""rewards":{"advocate":{"name":"voucher-5","title":{"en":"5 €"},"event":"purchase"}}"#)
        try join()
        #expect(ada.referrals.map(\.state) == [.joined])
    }

    @Test("Trap: velocity – a friend who joins at once after a share, and one of very many, wait for the operator")
    mutating func velocity() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"referrals-a-day":1}"#)
        try ada.sync(ada.share(.email, to: "mailto:ben@example.com"))
        try world.work()
        town.pass(.seconds(5))
        try world.prove("mailto:ben@example.com", by: ben)
        ben = try world.person("Bea")
        try join("mailto:bea@example.com")
        #expect(ada.referrals.map(\.state) == [.held, .held] && ada.rewards.isEmpty)
        #expect(try await world.referrals.list(.held).map(\.reasons) == [[.velocity], [.tooSoon]])
    }

    @Test("Trap: velocity – an address to which many people share in a day waits, unless the friend has used a code")
    mutating func recipientVelocity() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"advocates-of-recipient":2,"noted-shares":"count"}"#)
        var (cleo, dora) = (try world.person("Cleo"), try world.person("Dora"))
        let (early, crowded, chosen) = ("mailto:eve@example.com", "mailto:ben@example.com", "mailto:fay@example.com")
        try cleo.sync(cleo.shareable("CLEO-TEA"))
        try dora.sync(dora.shareable("DORA-TEA"))
        try cleo.sync(cleo.share(.sheet, to: early))
        town.pass(.days(1))
        try dora.sync(dora.share(.sheet, to: crowded), dora.share(.sheet, to: chosen))
        try cleo.sync(cleo.share(.sheet, to: crowded), cleo.share(.sheet, to: chosen))
        try ada.sync(ada.share(.sheet, to: crowded), ada.share(.sheet, to: chosen), ada.share(.sheet, to: early))
        town.pass(.seconds(60))
        let (eve, fay) = (try world.person("Eve"), try world.person("Fay"))
        // Cleo has shared to Eve too, but more than a day ago. Two may share to one friend.
        try world.prove(early, by: eve)
        #expect(try await world.referrals.list().map(\.reasons) == [[]])
        try world.prove(crowded, by: ben)
        let held = try #require(try await world.referrals.list(.held).first)
        #expect(held.reasons == [.recipientVelocity] && held.until == town.now + .days(30))
        #expect(held.friend == ben.account)
        var friend = fay
        try friend.sync(friend.use("ADA-TEA"))
        try world.prove(chosen, by: friend)
        #expect(try await world.referrals.count(.held) == 1)
        #expect(try await world.referrals.count(.granted) == 2)
    }

    @Test("Trap: velocity – joins in bulk wait, whoever has brought them, and those who come later do not")
    mutating func bulk() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"joins-in-ten-minutes":2}"#)
        var cleo = try world.person("Cleo")
        try cleo.sync(cleo.shareable("CLEO-TEA"))
        town.pass(.seconds(60))
        for (index, code) in ["ADA-TEA", "CLEO-TEA", "ADA-TEA", "CLEO-TEA"].enumerated() {
            var friend = try world.person("Friend")
            try friend.sync(friend.use(code))
            // The fourth comes when the first two have joined ten minutes ago.
            if index == 3 { town.pass(.seconds(600)) }
            try world.prove("mailto:friend\(index)@example.com", by: friend)
        }
        let entries = try await world.referrals.list()
        #expect(entries.count == 4 && entries.filter { $0.state == .held }.map(\.reasons) == [[.bulk]])
        #expect(try await world.referrals.list(reason: .bulk).map(\.until) == [town.now - .seconds(600) + .days(30)])
        _ = try await world.referrals.release(entries.filter { $0.state == .held }.map(\.id), at: town.now)
        try hear()
        try cleo.sync()
        #expect(ada.rewards.count == 2 && cleo.rewards.count == 2)
    }

    @Test(
        "Trap: too soon after the share – a code counts from when the server has it, not from when the friend used it",
        arguments: [(9, [ReferralReason.tooSoon]), (10, [])])
    mutating func tooSoonByCode(seconds: Int, reasons: [ReferralReason]) async throws {
        world.town.pass(.seconds(seconds))
        try ben.sync(ben.use("ADA-TEA"))
        try world.prove("mailto:ben@example.com", by: ben)
        #expect(try await world.referrals.list().map(\.reasons) == [reasons])
        // A new code of the same link does not make the link new.
        try ada.sync(ada.change(["code": "ADA-CAKE"]))
        world.town.pass(.seconds(1))
        var cleo = try world.person("Cleo")
        try cleo.sync(cleo.use("ADA-CAKE"))
        try world.prove("mailto:cleo@example.com", by: cleo)
        #expect(try await world.referrals.count(.granted) == (reasons.isEmpty ? 2 : 1))
    }

    @Test("What an operator decides with a command is told to the devices by the server’s background job")
    mutating func told() async throws {
        try begin(Self.disposable)
        try join("mailto:ben@example.net")
        let id = try #require(try await world.referrals.list(.held).first).id
        _ = try await world.referrals.release([id], at: town.now)
        #expect(try world.work().moved == [ada.home, ben.home])
        #expect(try world.work() == Signals())
        _ = try await world.referrals.release([id], at: town.now)
        #expect(try world.work() == Signals())
    }

    @Test("An advocate who has all the rewards that the programme gives to one person gets no more")
    mutating func limit() async throws {
        try begin(#"\#(SharingWorld.rewards),"guards":{"rewards":1}"#)
        try join()
        ben = try world.person("Bea")
        try join("mailto:bea@example.com")
        #expect(ada.referrals.map(\.state) == [.granted, .refused] && ada.rewards.count == 1)
        #expect(try await world.referrals.list(.refused).map(\.reasons) == [[.limit]])
    }

    @Test("The limit of an advocate does not hold for an event that rewards the friend only")
    mutating func limitOfOthers() throws {
        let purchase = #"{"name":"voucher-3","title":{"en":"3 € voucher"},"event":"purchase"}"#
        try begin(
            #"""
            "rewards":{"advocate":{"name":"voucher-5","title":{"en":"5 € voucher"},"event":"joined"},"friend":\#(purchase)},
            "guards":{"rewards":1}
            """#)
        try join()
        ben = try world.person("Bea")
        try join("mailto:bea@example.com")
        #expect(ada.rewards.count == 1 && ben.rewards.isEmpty)
        try ben.sync(ben.event("purchase"))
        try hear()
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1)
    }

    @Test("Whoever shares from the friend's network is marked, and rewarded all the same")
    mutating func network() async throws {
        ada.network = ClientNetwork("192.0.2.0")
        ben.network = ada.network
        try ada.sync(ada.share(.sheet))
        try join()
        #expect(ada.rewards.count == 1)
        #expect(try await world.referrals.list().map(\.reasons) == [[.sameNetwork]])
    }
}
