import KithModel
import KithServer
import Testing

@Suite("The operator’s webhooks") struct WebhookServiceTests {
    private let world: WebhookWorld
    private let url = "https://tea.example.com/kith"

    init() throws { world = try WebhookWorld() }

    @Test("Are listed, shown and removed")
    func list() async throws {
        let webhook = try await world.add()
        #expect(webhook.url == url && webhook.state == .active && webhook.programme == nil)
        #expect(webhook.kinds == WebhookEvent.Kind.choices && webhook.created == world.now && webhook.waiting == 0)
        #expect(try await world.service.list() == [webhook])
        #expect(try await world.service.show(webhook.id) == webhook)
        try await world.service.remove(webhook.id)
        #expect(try await world.service.list().isEmpty)
        await refused(.notFound) { _ = try await $0.show(webhook.id) }
        await refused(.notFound) { try await $0.remove(webhook.id) }
    }

    @Test("Are refused if they cannot work")
    func refusals() async throws {
        let now = world.now
        await refused(.malformed) { [url] in _ = try await $0.add("x" + url, at: now) }
        await refused(.malformed) { [url] in _ = try await $0.add(url, kinds: [], at: now) }
        await refused(.malformed) { [url] in _ = try await $0.add(url, kinds: [.joined, .test], at: now) }
        await refused(.notFound) { [url] in _ = try await $0.add(url, programme: "friends", at: now) }
        for _ in 0..<WebhookLimits.webhooks { _ = try await world.add() }
        await refused(.tooMany) { [url] in _ = try await $0.add(url, at: now) }
    }

    @Test("With a user in their address are refused for that reason, and the password is not repeated")
    func users() async throws {
        for address in ["https://ada:secret@tea.example.com/kith", "http://ada:secret@localhost/kith"] {
            let error = await #expect(throws: ServerError.self) {
                _ = try await world.service.add(address, at: world.now)
            }
            #expect(error?.code == .malformed && error?.sentence.contains("before the “@”") == true)
            #expect(error?.sentence.contains("secret") == false)
        }
    }

    private func refused(
        _ code: Problem.Code, _ work: @Sendable (WebhookService) async throws -> Void
    ) async {
        let error = await #expect(throws: ServerError.self) { try await work(world.service) }
        #expect(error?.code == code)
    }

    @Test("Show how many events wait and were given up")
    func counts() async throws {
        let webhook = try await world.add()
        try await world.event(for: webhook)
        #expect(try await world.service.show(webhook.id).waiting == 1)
        #expect(try await world.service.counts() == [.waiting: 1, .delivered: 0, .failed: 0])
        world.receiver.answer(.gone)
        try await world.send()
        let gone = try await world.service.show(webhook.id)
        #expect(gone.waiting == 0 && gone.failed == 1 && gone.state == .gone)
        #expect(try await world.service.deliveries(.init(state: .failed)).count == 1)
        #expect(try await world.service.deliveries(.init(state: .waiting)).isEmpty)
        #expect(try await world.service.deliveries(limit: 0).isEmpty)
    }

    @Test("Say of an event that was never sent that it was not, although the receiver has answered another with 410")
    func notSent() async throws {
        let webhook = try await world.add()
        for _ in 0..<3 { try await world.event(for: webhook) }
        world.receiver.alwaysAnswer(.gone)
        try await world.send()
        let deliveries = try await world.service.deliveries()
        #expect(deliveries.allSatisfy { $0.state == .failed })
        let sent = deliveries.filter { $0.attempts > 0 }
        #expect(sent.count == 1 && sent[0].status == 410 && sent[0].detail?.hasPrefix("HTTP 410") == true)
        let others = deliveries.filter { $0.attempts == 0 }
        #expect(others.count == 2 && others.allSatisfy { $0.status == nil && $0.detail?.hasPrefix("not sent") == true })
    }
}
