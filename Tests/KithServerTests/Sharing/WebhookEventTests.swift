import Foundation
import KithModel
import KithServer
import Testing

@Suite("What webhooks learn of sharing") struct WebhookEventTests {
    private var world: SharingWorld
    private var service: WebhookService
    private var ada: Phone
    private var ben: Phone

    private static let holding = #"\#(SharingWorld.rewards),"guards":{"holding-days":3}"#

    init() throws { try self.init(SharingWorld.rewards) }

    private init(_ parts: String) throws {
        world = try SharingWorld(parts)
        service = WebhookService(database: world.town.database)
        (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.shareable("ADA-TEA"))
    }

    /// Ben uses Ada’s code and signs up.
    private mutating func join() throws {
        try ben.sync(ben.use("ADA-TEA"))
        world.town.pass(.seconds(60))
        try world.prove("mailto:ben@example.com", by: ben)
    }

    private func webhook(
        programme: String? = nil, kinds: Set<WebhookEvent.Kind> = Set(WebhookEvent.Kind.choices)
    ) async throws -> Webhook {
        try await service.add(
            "https://tea.example.com/kith", programme: programme, kinds: kinds, at: world.town.now
        ).webhook
    }

    /// A body of an event.
    fileprivate struct Event: Decodable {
        struct Reward: Decodable {
            let id: String
            let side: String
            let account: String
            let name: String
        }

        struct Content: Decodable {
            let programme: String?
            let channel: String?
            let share: String?
            let referral: String?
            let event: String?
            let basis: String?
            let advocate: String?
            let friend: String?
            let reasons: [String]?
            let until: String?
            let isByOperator: Bool?
            let rewards: [Reward]?
        }

        let type: String
        let timestamp: String
        let data: Content
    }

    /// The bodies of the events, oldest first.
    private func bodies(of webhook: Webhook? = nil) async throws -> [String] {
        let newest = try await service.deliveries(WebhookDelivery.Filter(webhook: webhook?.id))
        return newest.reversed().map(\.body)
    }

    private func events(of webhook: Webhook? = nil) async throws -> [Event] {
        try await bodies(of: webhook).map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
    }

    @Test("A share, a sign-up and its rewards are told with their ids, once, whatever is repeated")
    mutating func story() async throws {
        _ = try await webhook()
        try ada.sync(ada.share(.sheet))
        try world.work()
        world.town.pass(.seconds(1))
        try join()
        try world.repeatEverything(about: ben)
        try ada.sync()
        try ben.sync()
        let events = try await events().sorted { $0.order < $1.order }
        try #require(events.map(\.type) == ["referral.shared", "referral.joined", "referral.granted"])
        for event in events {
            #expect(event.data.programme == "friends" && event.data.advocate == ada.account.description)
        }
        let (shared, joined, granted) = (events[0], events[1], events[2])
        #expect(shared.data.channel == "sheet" && shared.data.share == ada.shares.first?.id.description)
        #expect(shared.data.friend == nil && shared.timestamp == "2027-01-15T08:00:00.000Z")
        #expect(joined.data.friend == ben.account.description && joined.data.basis == "code")
        #expect(granted.data.event == "joined" && granted.data.reasons == [] && granted.data.isByOperator == false)
        let entry = try #require(try await world.referrals.list().first)
        #expect(granted.data.referral == entry.id.description && granted.data.channel == "link")
        let rewards = try #require(granted.data.rewards)
        #expect(Set(rewards.map(\.name)) == ["voucher-5", "voucher-3"])
        #expect(rewards.first { $0.side == "advocate" }?.id == ada.rewards.first?.id.description)
        #expect(rewards.first { $0.side == "friend" }?.account == ben.account.description)
    }

    @Test("No event has a name, an identity, a code or a text of a person")
    mutating func anonymous() async throws {
        _ = try await webhook()
        try ada.sync(ada.share(.email, to: "mailto:ben@example.com", ["message": "I like this tea"]))
        try world.work()
        try join()
        let text = try await bodies().joined()
        #expect(text.contains("referral.shared") && text.contains("referral.joined"))
        for secret in ["Ada", "Ben", "ben@", "example.com", "ADA-TEA", "adatea", "I like this tea", "kith.example"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test("A held referral is told, and what the operator decides about it")
    mutating func held() async throws {
        self = try Self(Self.holding)
        _ = try await webhook(kinds: [.held, .granted, .refused])
        try join()
        let entry = try #require(try await world.referrals.list(.held).first)
        let held = try #require(try await events().first)
        #expect(held.type == "referral.held" && held.data.reasons == ["holding"] && held.data.until != nil)
        #expect(held.data.rewards == nil)
        for _ in 1...2 { _ = try await world.referrals.refuse([entry.id], at: world.town.now) }
        world.town.pass(.seconds(1))
        for _ in 1...2 { _ = try await world.referrals.release([entry.id], at: world.town.now) }
        let decided = try await events().filter { $0.data.isByOperator == true }
        #expect(decided.map(\.type).sorted() == ["referral.granted", "referral.refused"])
        #expect(decided.allSatisfy { $0.data.until == nil })
    }

    @Test("A referral that was held for some days is told when it is granted")
    mutating func settled() async throws {
        self = try Self(Self.holding)
        _ = try await webhook(kinds: [.granted])
        try join()
        #expect(try await events().isEmpty)
        world.town.pass(.days(3))
        try world.work()
        #expect(try await events().map(\.data.isByOperator) == [false])
    }

    @Test("A webhook gets only the events of its programme, and only those that it has chosen")
    mutating func chosen() async throws {
        try world.addProgramme("other", "")
        let (all, joined) = (try await webhook(), try await webhook(kinds: [.joined]))
        let other = try await webhook(programme: "other")
        let paused = try await webhook(programme: "friends", kinds: [.granted])
        _ = try await service.pause(paused.id)
        try join()
        #expect(try await Set(events(of: all).map(\.type)) == ["referral.joined", "referral.granted"])
        #expect(try await events(of: joined).map(\.type) == ["referral.joined"])
        #expect(try await events(of: other).isEmpty)
        #expect(try await events(of: paused).map(\.type) == ["referral.granted"])
    }

    @Test("Events beyond the limit are counted, and hold up nothing")
    mutating func full() async throws {
        let webhook = try await webhook(kinds: [.joined])
        try await service.fill(webhook.id, in: world.town.database)
        try join()
        try ada.sync()
        #expect(ada.rewards.count == 1)
        let full = try await service.show(webhook.id)
        #expect(full.dropped == 1 && full.waiting == WebhookLimits.waiting)
    }

    @Test("Shares, of which anybody makes many, leave room for rewards")
    mutating func room() async throws {
        let webhook = try await webhook(kinds: [.shared, .granted])
        try await service.fill(webhook.id, to: WebhookLimits.waitingForShares, in: world.town.database)
        try ada.sync(ada.share(.email, to: "mailto:cleo@example.com"))
        try world.work()
        #expect(try await service.show(webhook.id).dropped == 1)
        try join()
        let shown = try await service.show(webhook.id)
        #expect(shown.dropped == 1 && shown.waiting == WebhookLimits.waitingForShares + 1)
    }
}

extension WebhookEventTests.Event {
    /// The order of events of a moment: a share, a sign-up, a decision.
    fileprivate var order: String {
        let rank = type == "referral.shared" ? 0 : type == "referral.joined" ? 1 : 2
        return "\(timestamp) \(rank)"
    }
}
