import KithModel
import KithServer
import Testing

@Suite("Who has brought the most friends") struct AdvocateRankingTests {
    private let world: SharingWorld
    private var ada: Phone
    private var zoe: Phone
    private let start: Timestamp

    init() throws {
        world = try SharingWorld()
        (ada, zoe) = (try world.person("Ada"), try world.person("Zoe"))
        start = world.town.now
        try ada.sync(ada.shareable("ADA-TEA"))
        try zoe.sync(zoe.shareable("ZOE-TEA"))
    }

    /// Somebody uses a code and signs up.
    private func join(_ name: String, with code: String) throws {
        var friend = try world.person(name)
        try friend.sync(friend.use(code))
        world.town.pass(.seconds(60))
        try world.prove("mailto:\(name.lowercased())@example.com", by: friend)
    }

    private func places(
        of programme: String? = nil, from: Timestamp? = nil, limit: Int = 10
    ) throws -> [AdvocateRanking.Place] {
        let (from, end) = (from ?? start, world.town.now + .seconds(1))
        return try world.town.database.readNow {
            try AdvocateRanking.read(of: programme, from: from, until: end, limit: limit, in: $0).places
        }
    }

    @Test("is counted for a time and a programme, with the name that the account shows to everyone")
    func ranking() throws {
        try join("Ben", with: "ZOE-TEA")
        try join("Cleo", with: "ADA-TEA")
        let noon = world.town.now
        world.town.pass(.seconds(60))
        try join("Dora", with: "ADA-TEA")
        let first = AdvocateRanking.Place(account: ada.account, name: "Ada", friends: 2, rewards: 2)
        let second = AdvocateRanking.Place(account: zoe.account, name: "Zoe", friends: 1, rewards: 1)
        #expect(try places() == [first, second])
        #expect(try places(of: "friends", limit: 1) == [first])
        #expect(try places(of: "other").isEmpty)
        #expect(
            try places(from: noon + .seconds(1)) == [
                AdvocateRanking.Place(account: ada.account, name: "Ada", friends: 1, rewards: 1)
            ])
    }

    @Test("Referrals are found by their reasons, page by page") func reasons() async throws {
        let held = try SharingWorld(#"\#(SharingWorld.rewards),"guards":{"holding-days":3}"#)
        var eve = try held.person("Eve")
        try eve.sync(eve.shareable("EVE-TEA"))
        for name in ["Ben", "Cleo", "Dora"] {
            var friend = try held.person(name)
            try friend.sync(friend.use("EVE-TEA"))
            held.town.pass(.seconds(60))
            try held.prove("mailto:\(name.lowercased())@example.com", by: friend)
        }
        let service = held.referrals
        #expect(try await service.count(.held, reason: .holding) == 3)
        #expect(try await service.count(reason: .limit) == 0)
        let all = try await service.list(reason: .holding)
        #expect(try await service.list(reason: .holding, limit: 2) == Array(all.prefix(2)))
        #expect(try await service.list(reason: .holding, limit: 2, offset: 2) == Array(all.suffix(1)))
    }
}
