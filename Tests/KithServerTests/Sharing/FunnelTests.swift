import KithModel
import KithServer
import Testing

@Suite("The funnel") struct FunnelTests {
    private let funnel = Funnel(rows: [
        .init(programme: "friends", day: 20_834, channel: .link, step: .visited, count: 7),
        .init(programme: "friends", day: 20_834, channel: .email, step: .shared, count: 3),
        .init(programme: "friends", day: 20_833, channel: .link, step: .joined, count: 2),
        .init(programme: "friends", day: 20_834, channel: .link, step: .joined, count: 1),
    ])

    @Test("Numbers are summed by step, day and channel")
    func totals() {
        #expect(Funnel.Step.allCases.map { funnel.total($0) } == [3, 7, 3, 0])
        #expect(funnel.total(.joined, day: 20_834) == 1 && funnel.total(.joined, channel: .email) == 0)
        #expect(funnel.days == [20_833, 20_834] && funnel.channels == [.email, .link])
    }

    @Test("The table has a line for each day and channel")
    func csv() {
        #expect(
            funnel.csv == """
                programme,day,channel,shared,visited,joined,rewarded\r
                friends,2027-01-15,link,0,0,2,0\r
                friends,2027-01-16,email,3,0,0,0\r
                friends,2027-01-16,link,0,7,1,0\r

                """)
    }

    @Test("Trap: Devices make up thousands of channels – a programme counts fifty of them, and the rest as the link")
    func madeUpChannels() async throws {
        let world = try SharingWorld(#""shares":{"kiosk":{"text":{"en":"{{link}}"}}}"#)
        var ada = try world.person("Ada")
        try ada.sync(ada.shareable("ADA-TEA"))
        let channels = try (1...60).map { try #require(ShareChannel(rawValue: "made-up-\($0)")) }
        let kiosk = try #require(ShareChannel(rawValue: "kiosk"))
        let shares = try (channels + [kiosk, .sheet]).map { try ada.share($0) }
        try ada.sync(shares)
        try world.work()
        world.town.pass(.days(1))
        let repeated = try [ada.share(channels[0]), ada.share(channels[59]), ada.share(kiosk)]
        try ada.sync(repeated)
        try world.work()
        let funnel = try await FunnelService(database: world.town.database).funnel()
        let madeUp = funnel.channels.filter { $0.rawValue.hasPrefix("made-up") }
        #expect(Set(madeUp) == Set(channels.prefix(Limits.madeUpChannels)))
        #expect(funnel.total(.shared, channel: channels[0]) == 2 && funnel.total(.shared, channel: .link) == 11)
        #expect(funnel.total(.shared, channel: kiosk) == 2 && funnel.total(.shared, channel: .sheet) == 1)
        #expect(ada.shares.contains { $0.channel == channels[59] }, "The record keeps its channel.")
    }

    @Test("Channels that earlier versions have counted are known, those that were used first. They are read once")
    func earlierChannels() async throws {
        let world = try SharingWorld("")
        let channels = try (100...499).map { try #require(ShareChannel(rawValue: "old-\($0)")) }
        for channel in channels {
            let now = world.town.now
            try world.town.database.writeNow { try Funnel.count(.shared, of: "friends", by: channel, at: now, in: $0) }
        }
        var ada = try world.person("Ada")
        try ada.sync(ada.shareable("ADA-TEA"))
        let shares = try [ada.share(channels[0]), ada.share(channels[399])]
        try ada.sync(shares)
        try world.work()
        let funnel = try await FunnelService(database: world.town.database).funnel()
        #expect(funnel.total(.shared, channel: channels[0]) == 2 && funnel.total(.shared, channel: .link) == 1)
        try ada.sync(ada.share(channels[399]))
        let (counting, now) = (CountingDatabase(world.town.database), world.town.now)
        try await SharingService(database: counting, signals: .none, dependencies: world.dependencies).work(at: now)
        #expect(counting.rows < 100)
    }

    @Test("The page shows the channels with the largest numbers, and the sum of the others")
    func largestChannels() throws {
        let summary = FunnelSummary(funnel, days: 20_833...20_834)
        #expect(summary.largestChannels(2).shown == [.email, .link] && summary.largestChannels(2).others == nil)
        let (shown, others) = summary.largestChannels(1)
        #expect(shown == [.link] && others == [.shared: 3])
    }

    @Test("A text of a programme is in the first wanted language that there is")
    func languages() {
        let texts = ["en": "tea", "de": "Tee", "fr": "thé"]
        #expect(Programme.text(texts, in: ["de-AT", "en"]) == "Tee")
        #expect(Programme.text(texts, in: ["it", "FR_ca"]) == "thé")
        #expect(Programme.text(texts, in: ["it"]) == "tea")
        #expect(Programme.text(["fr": "thé", "es": "té"], in: []) == "té")
        #expect(Programme.text([:], in: ["en"]).isEmpty)
    }
}
