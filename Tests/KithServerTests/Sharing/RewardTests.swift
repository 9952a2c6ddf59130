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
        try AccountService.deleteNow(ben.account, at: town.now, on: town.database)
        ben = try world.person("Ben")
        try join("mailto:ben+2@example.com")
        #expect(ada.referrals.map(\.state) == [.granted, .refused] && ada.rewards.count == 1 && ben.rewards.isEmpty)
        #expect(try await world.referrals.list(.refused).map(\.reasons) == [[.duplicate]])
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
        try AccountService.deleteNow(ben.account, at: town.now, on: town.database)
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
        let missing = RecordID<ReferralRow>(town.id(Never.self).uuid)
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
        try ada.sync(ada.share(.sheet, to: "mailto:ben@example.com"))
        town.pass(.seconds(5))
        try world.prove("mailto:ben@example.com", by: ben)
        ben = try world.person("Bea")
        try join("mailto:bea@example.com")
        #expect(ada.referrals.map(\.state) == [.held, .held] && ada.rewards.isEmpty)
        #expect(try await world.referrals.list(.held).map(\.reasons) == [[.velocity], [.tooSoon]])
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

    @Test("Whoever shares from the friend's network is marked, and rewarded all the same")
    mutating func network() async throws {
        ada.network = "192.0.2.0/24"
        ben.network = "192.0.2.0/24"
        try ada.sync(ada.share(.sheet))
        try join()
        #expect(ada.rewards.count == 1)
        #expect(try await world.referrals.list().map(\.reasons) == [[.sameNetwork]])
    }
}
