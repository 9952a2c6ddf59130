import KithModel
import KithServer
import Testing

@Suite("Who has brought somebody who signs up") struct SignUpTests {
    private var world: SharingWorld
    private var ada: Phone
    private var ben: Phone
    private let email = "mailto:ben@example.com"

    init() throws {
        world = try SharingWorld()
        ada = try world.person("Ada")
        ben = try world.person("Ben")
        try ada.sync(ada.shareable("ADA-TEA"))
    }

    /// Ben uses a code of Ada.
    private mutating func use(_ code: String = "ada tea") throws {
        #expect(try ben.outcomes(ben.use(code)) == ["applied"])
        try world.work()
        world.town.pass(.seconds(60))
    }

    private mutating func hear() throws {
        try world.work()
        try ada.sync()
        try ben.sync()
    }

    @Test("A code that was used before the sign-up says who has brought the friend, and both are rewarded")
    mutating func code() async throws {
        try use()
        try ben.sync()
        #expect(ben.claims.map(\.status) == [.open] && ben.claims.first?.advocateName == "Ada")
        #expect(ben.claims.first?.programme == "friends" && ada.referrals.isEmpty)
        try world.prove(email, by: ben)
        try hear()
        #expect(ben.claims.map(\.status) == [.bound])
        let referral = try #require(ada.referrals.first)
        #expect(ada.referrals.count == 1 && referral.state == .granted && referral.basis == .code)
        #expect(referral.friendName == "Ben" && referral.shareable == ada.shareables.first?.id)
        #expect(ada.rewards.map(\.name) == ["voucher-5"] && ada.rewards.first?.title == "5 € voucher")
        #expect(ada.rewards.first?.side == .advocate && ada.rewards.first?.referral == referral.id)
        #expect(ben.rewards.map(\.name) == ["voucher-3"] && ben.rewards.first?.side == .friend)
        #expect(ben.rewards.first?.referral == nil && ben.referrals.isEmpty)
        let funnel = try await FunnelService(database: world.town.database).funnel(of: "friends")
        #expect(Funnel.Step.allCases.map { funnel.total($0) } == [0, 0, 1, 1])
    }

    @Test(
        "A sign-up counts for the channel that the link named, if it is a known one",
        arguments: [("sheet", "sheet"), ("poster", "link"), (nil, "link")])
    mutating func channel(named: String?, counted: String) async throws {
        #expect(try ben.outcomes(ben.use("ADA-TEA", by: named)) == ["applied"])
        try world.prove(email, by: ben)
        try hear()
        #expect(ben.claims.map(\.channel?.rawValue) == [named])
        let funnel = try await FunnelService(database: world.town.database).funnel(of: "friends")
        #expect(funnel.channels.map(\.rawValue) == [counted] && funnel.total(.joined) == 1)
    }

    @Test("Whoever has shared to an identity of the friend has brought the friend", arguments: ["email", "number"])
    mutating func recipient(kind: String) async throws {
        let identity = kind == "email" ? email : "tel:+436641234567"
        #expect(try ada.outcomes(ada.share(.message, to: identity)) == ["applied"])
        try world.work()
        world.town.pass(.days(2))
        try world.prove(identity, by: ben)
        try hear()
        #expect(ada.referrals.map(\.basis) == [.recipient] && ada.referrals.first?.state == .held)
        #expect(ada.referrals.first?.shareable == ada.shareables.first?.id)
        let funnel = try await FunnelService(database: world.town.database).funnel()
        #expect(funnel.total(.shared, channel: .message) == 1 && funnel.total(.joined, channel: .message) == 1)
        #expect(funnel.channels == [.message])
    }

    @Test("Trap: Strangers share to somebody very often – the sign-up reads only the share that counts")
    mutating func manyShares() async throws {
        let town = world.town
        for _ in 0..<500 {
            let (account, share, record) = (town.id(Never.self), town.id(Never.self), town.id(Never.self))
            try town.execute(
                """
                INSERT INTO share (account, id, record, programme, channel, recipient, shared)
                VALUES (?, ?, ?, 'friends', 'sheet', ?, ?)
                """, [.id(account), .id(share), .id(record), .text(email), .time(town.now - .days(2))])
        }
        try ada.sync(ada.share(.sheet, to: email))
        try world.work()
        town.pass(.seconds(60))
        try town.prove(email, by: ben)
        let (counting, now) = (CountingDatabase(town.database), town.now)
        try await SharingService(database: counting, signals: .none, dependencies: world.dependencies).work(at: now)
        #expect(counting.rows < 250)
        try hear()
        #expect(ada.referrals.map(\.basis) == [.recipient])
    }

    @Test("Trap: A share to another spelling of a number is one to the number itself")
    mutating func spelling() throws {
        #expect(try ada.outcomes(ada.share(.message, to: "tel:+4306641234567")) == ["applied"])
        try world.work()
        world.town.pass(.seconds(60))
        try world.prove("tel:+436641234567", by: ben)
        try hear()
        #expect(ada.referrals.map(\.basis) == [.recipient])
    }

    @Test(
        "Trap: an app notes an address to which nothing was sent – the programme says whether that is rewarded",
        arguments: ReferralGuards.NotedShares.allCases)
    mutating func noted(rule: ReferralGuards.NotedShares) async throws {
        world = try SharingWorld(#"\#(SharingWorld.rewards),"guards":{"noted-shares":"\#(rule.rawValue)"}"#)
        (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.shareable("ADA-TEA"))
        try ada.sync(ada.share(.message, to: email))
        try world.work()
        world.town.pass(.seconds(60))
        try world.prove(email, by: ben)
        try hear()
        let states: [ReferralGuards.NotedShares: [Referral.State]] = [.hold: [.held], .count: [.granted]]
        #expect(ada.referrals.map(\.state) == states[rule] ?? [])
        #expect(ben.rewards.count == (rule == .count ? 1 : 0) && ada.rewards.count == ben.rewards.count)
        #expect(try await world.referrals.list(.held).map(\.reasons) == (rule == .hold ? [[.noted]] : []))
    }

    @Test("Trap: a share that was noted while the programme was paused brings its recipient – it does not")
    mutating func notedInPause() throws {
        try world.pause()
        try ada.sync(ada.share(.message, to: email))
        try world.work()
        try world.pause(false)
        world.town.pass(.seconds(60))
        try world.prove(email, by: ben)
        try hear()
        #expect(ada.referrals.isEmpty && ben.rewards.isEmpty)
    }

    @Test("The programme decides whether the newest or the first share counts", arguments: ["newest", "first"])
    mutating func rule(rule: String) throws {
        world = try SharingWorld(#"\#(SharingWorld.rewards),"attribution":{"rule":"\#(rule)","window-days":30}"#)
        ada = try world.person("Ada")
        ben = try world.person("Ben")
        var cleo = try world.person("Cleo")
        try ada.sync(ada.shareable("ADA-TEA"))
        try cleo.sync(cleo.shareable("CLEO-TEA"))
        try ada.sync(ada.share(.sheet, to: email))
        world.town.pass(.days(1))
        try cleo.sync(cleo.share(.sheet, to: email))
        world.town.pass(.days(1))
        try world.prove(email, by: ben)
        try hear()
        try cleo.sync()
        #expect(cleo.referrals.count == (rule == "newest" ? 1 : 0))
        #expect(ada.referrals.count == (rule == "newest" ? 0 : 1))
    }

    @Test("A code counts before a share to an identity, and a share after the window counts no more")
    mutating func order() throws {
        var cleo = try world.person("Cleo")
        try cleo.sync(cleo.shareable("CLEO-TEA"))
        try use()
        try cleo.sync(cleo.share(.sheet, to: email))
        world.town.pass(.seconds(60))
        try world.prove(email, by: ben)
        try hear()
        try cleo.sync()
        #expect(ada.referrals.count == 1 && cleo.referrals.isEmpty)

        var dora = try world.person("Dora")
        try cleo.sync(cleo.share(.sheet, to: "mailto:dora@example.com"))
        world.town.pass(.days(31))
        try world.prove("mailto:dora@example.com", by: dora)
        try dora.sync()
        try cleo.sync()
        #expect(cleo.referrals.isEmpty && dora.rewards.isEmpty)
    }

    @Test("An account signs up once: a second identity brings nobody a reward")
    mutating func once() throws {
        try world.prove(email, by: ben)
        world.town.pass(.days(3))
        try ada.sync(ada.share(.sheet, to: "mailto:ben@example.org"))
        try world.prove("mailto:ben@example.org", by: ben)
        try hear()
        #expect(ada.referrals.isEmpty && ben.rewards.isEmpty)
    }

    @Test("A code that is used within a day after the sign-up counts, unless somebody has brought the friend")
    mutating func late() throws {
        try world.prove(email, by: ben)
        world.town.pass(.seconds(23 * 3_600))
        try use()
        try hear()
        #expect(ben.claims.map(\.status) == [.bound] && ada.referrals.map(\.state) == [.granted])
        var cleo = try world.person("Cleo")
        try cleo.sync(cleo.shareable("CLEO-TEA"))
        try use("cleo-tea")
        try hear()
        #expect(ben.claims.map(\.status) == [.bound, .refused(.alreadyBound)])
        try cleo.sync()
        #expect(cleo.referrals.isEmpty)
    }

    @Test("A code that is used later than a day after the sign-up does not count")
    mutating func tooLate() throws {
        try world.prove(email, by: ben)
        world.town.pass(.days(1) + .seconds(1))
        try use()
        try hear()
        #expect(ben.claims.map(\.status) == [.refused(.tooLate)] && ada.referrals.isEmpty)
    }

    @Test("One's own code, an unknown one and one of a paused programme are refused with their reasons")
    mutating func refused() throws {
        try ada.sync(ada.use("adatea"))
        try ben.sync(ben.use("nobody-has-it"))
        try hear()
        #expect(ada.claims.map(\.status) == [.refused(.yourOwn)])
        #expect(ben.claims.map(\.status) == [.refused(.unknownCode)])
        try world.pause()
        try use()
        try world.prove(email, by: ben)
        try hear()
        #expect(ben.claims.map(\.status) == [.refused(.unknownCode), .refused(.paused)])
        #expect(ada.referrals.isEmpty)
    }

    @Test("Whoever deletes the account takes the codes along: they bring nobody, and nobody else gets them")
    mutating func deleted() throws {
        try world.town.delete(ada.account)
        #expect(try ben.outcomes(ben.shareable("ADATEA")) == ["codeTaken"])
        try use()
        try world.prove(email, by: ben)
        try ben.sync()
        #expect(ben.claims.map(\.status) == [.refused(.unknownCode)] && ben.rewards.isEmpty)
    }

    @Test("A code and a sign-up that cross are decided together, once")
    mutating func crossing() throws {
        try ben.sync(ben.use("ADA-TEA"))
        world.town.pass(.seconds(60))
        // The sign-up is decided before the job has seen the code.
        try world.prove(email, by: ben)
        try hear()
        #expect(ben.claims.map(\.status) == [.bound] && ada.referrals.count == 1 && ada.rewards.count == 1)
    }
}
