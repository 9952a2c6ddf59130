import KithModel
import KithServer
import Testing

@Suite("Events before it is known who has brought the friend") struct EarlyEventTests {
    private let world: SharingWorld
    private var ada: Phone
    private var ben: Phone
    private let email = "mailto:ben@example.com"

    init() throws {
        world = try SharingWorld(
            """
            "rewards":{
                "advocate":{"name":"voucher-5","title":{"en":"5 €"},"event":"purchase"},
                "friend":{"name":"voucher-3","title":{"en":"3 €"},"event":"purchase"}
            },
            "attribution":{"window-days":20}
            """)
        (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.shareable("ADA-TEA"))
        world.town.pass(.seconds(60))
    }

    private mutating func hear() throws {
        try world.work()
        try ada.sync()
        try ben.sync()
    }

    /// Ben buys something.
    private mutating func buy() throws {
        #expect(try ben.outcomes(ben.event("purchase")) == ["applied"])
        try hear()
        #expect(ben.events.isEmpty)
    }

    /// Ben signs up.
    private mutating func signUp() throws {
        try world.prove(email, by: ben)
        try hear()
    }

    /// The number of events that are remembered.
    private var remembered: Int64 { get throws { try world.count("sharing_work") } }

    @Test("An event before the sign-up counts when the friend is bound")
    mutating func signUpLater() async throws {
        try ben.sync(ben.use("ADA-TEA"))
        try buy()
        #expect(try remembered == 1)
        #expect(ada.rewards.isEmpty && ben.rewards.isEmpty && ada.referrals.isEmpty)
        world.town.pass(.days(19))
        try signUp()
        #expect(ada.rewards.map(\.event) == ["purchase"] && ben.rewards.map(\.event) == ["purchase"])
        #expect(ada.referrals.map(\.state) == [.granted])
        #expect(try await world.referrals.list().map(\.occurred) == [world.town.now])
        #expect(try remembered == 0)
    }

    @Test("An event before a late claim counts when the claim does")
    mutating func lateClaim() throws {
        try signUp()
        try buy()
        #expect(try remembered == 1)
        world.town.pass(.seconds(23 * 3_600))
        try ben.sync(ben.use("ADA-TEA"))
        try hear()
        #expect(ben.claims.map(\.status) == [.bound])
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1)
        #expect(try remembered == 0)
    }

    @Test("An event before the sign-up counts if somebody has shared to the friend") mutating func recipient() throws {
        try ada.sync(ada.share(.email, to: email))
        try buy()
        world.town.pass(.days(1))
        try signUp()
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1)
    }

    @Test("An event and a code that are sent together count, whichever has the smaller id", arguments: [true, false])
    mutating func together(hasSignedUp: Bool) throws {
        if hasSignedUp { try signUp() }
        try ben.sync(ben.event("purchase"), ben.use("ADA-TEA"), ben.event("purchase"))
        try hear()
        if !hasSignedUp { try signUp() }
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1)
    }

    @Test("Trap: an early event is rewarded twice – it counts once, whatever is repeated")
    mutating func once() throws {
        try ben.sync(ben.use("ADA-TEA"))
        for _ in 1...3 { try buy() }
        #expect(try remembered == 1)
        try signUp()
        for _ in 1...2 {
            try world.repeatEverything(about: ada, ben)
            try buy()
        }
        #expect(ada.rewards.count == 1 && ben.rewards.count == 1)
        #expect(try world.count("referral") == 1 && world.count("reward") == 2)
        #expect(try remembered == 0)
    }

    @Test("An early event is forgotten with the account") mutating func deleted() throws {
        try buy()
        #expect(try remembered == 1)
        try world.town.delete(ben.account)
        #expect(try remembered == 0)
    }

    @Test("After the window, an event of somebody that nobody has brought leaves nothing behind")
    mutating func window() throws {
        try buy()
        world.town.pass(.days(20) - .seconds(1))
        try hear()
        #expect(try remembered == 1)
        world.town.pass(.seconds(1))
        try hear()
        #expect(try remembered == 0)
        try ben.sync(ben.use("ADA-TEA"))
        try signUp()
        #expect(ada.referrals.map(\.state) == [.joined] && ada.rewards.isEmpty && ben.rewards.isEmpty)
    }

    @Test("An event whose window ends before the sign-up does not count, also if the job has not run in between")
    mutating func windowWithoutJob() throws {
        try buy()
        world.town.pass(.days(20) + .seconds(1))
        try ben.sync(ben.use("ADA-TEA"))
        try signUp()
        #expect(ada.referrals.map(\.state) == [.joined] && ada.rewards.isEmpty)
        #expect(try remembered == 0)
    }

    @Test("A day after a sign-up that nobody has brought, events are neither kept nor remembered")
    mutating func nobody() throws {
        try buy()
        try signUp()
        #expect(try remembered == 1)
        world.town.pass(.days(1))
        try hear()
        #expect(try remembered == 0)
        try buy()
        #expect(try remembered == 0)
    }

    @Test("An event that nothing rewards, and one in a paused programme, are not remembered")
    mutating func unrewarded() throws {
        try ben.sync(ben.event("visit"))
        try hear()
        #expect(try remembered == 0)
        try world.pause()
        try buy()
        #expect(try remembered == 0)
    }
}
