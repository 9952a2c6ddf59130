import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("The events of a webhook") struct WebhookLaneTests {
    private let world: WebhookWorld

    init() throws { world = try WebhookWorld() }

    @Test("Are sent in their order, once each")
    func order() async throws {
        let webhook = try await world.add()
        let first = try await world.event(for: webhook)
        world.clock.advance(.seconds(1))
        let second = try await world.event(for: webhook)
        for _ in 1...2 { try await world.send() }
        #expect(world.receiver.received.map(\.id) == [first, second])
        #expect(try await world.states() == [.delivered, .delivered])
    }

    @Test("Rest after a failure, and are sent again with the same id")
    func again() async throws {
        let webhook = try await world.add()
        let first = try await world.event(for: webhook)
        world.clock.advance(.milliseconds(1))
        let second = try await world.event(for: webhook)
        world.receiver.answer(.down)
        try await world.send()
        #expect(world.receiver.received.map(\.id) == [first])
        let failing = try await world.service.show(webhook.id)
        #expect(failing.failures == 1 && failing.failingSince == world.now && failing.detail == "HTTP 503")
        world.clock.advance(WebhookRules.rests[0] - .milliseconds(1))
        try await world.send()
        #expect(world.receiver.received.count == 1)
        world.clock.advance(.seconds(2))
        try await world.send()
        #expect(world.receiver.received.map(\.id) == [first, second, first])
        let working = try await world.service.show(webhook.id)
        #expect(working.failures == 0 && working.failingSince == nil && working.detail == nil)
        #expect(try await world.service.deliveries().map(\.attempts) == [1, 2])
    }

    @Test(
        "Trap: The clock is ahead while one fails, or is taken – they do not wait until that date",
        arguments: [true, false])
    func clockAhead(isTaken: Bool) async throws {
        let webhook = try await world.add()
        try await world.event(for: webhook)
        world.clock.advance(.days(60))
        if isTaken {
            let lane = world.lane(DyingReceiver())
            try await Task { try await lane.run() }.value
        } else {
            world.receiver.answer(.down)
            try await world.send()
        }
        #expect(try await world.states() == [.waiting])
        world.clock.advance(.zero - .days(60))
        try await world.send()
        #expect(try await world.states() == [.delivered])
    }

    @Test("Trap: The clock of another server is behind – it does not send an event that has the longest pause")
    func clockBehind() async throws {
        let webhook = try await world.add()
        try await world.event(for: webhook)
        let due = world.now + WebhookRules.longestPause
        try await world.database.write { try $0.execute("UPDATE webhook_delivery SET due = ?", [.time(due)]) }
        world.clock.advance(.zero - .minutes(1))
        try await world.send()
        #expect(try await world.states() == [.waiting])
    }

    @Test("Of other webhooks do not wait for one that fails")
    func others() async throws {
        let (bad, good) = (try await world.add("https://a.example/kith"), try await world.add("https://b.example/kith"))
        try await world.event(for: bad)
        try await world.event(for: good)
        world.receiver.answer(.down)
        try await world.send()
        #expect(Set(world.receiver.received.map(\.webhook)) == [bad.id, good.id])
        #expect(try await world.states().sorted { $0.rawValue < $1.rawValue } == [.delivered, .waiting])
    }

    @Test("Wait in a webhook that has failed for three days, until it is resumed")
    func patience() async throws {
        let webhook = try await world.add()
        let id = try await world.event(for: webhook)
        world.receiver.alwaysAnswer(.down)
        try await world.send()
        let start = world.now
        while try await world.service.show(webhook.id).state == .active, world.now - start < .days(10) {
            world.clock.advance(.minutes(30))
            // Without new events, the next attempt would be hours later.
            try await world.event(for: webhook)
            try await world.send()
        }
        let failing = try await world.service.show(webhook.id)
        #expect(failing.state == .failing && world.now - start == WebhookRules.patience)
        let count = world.receiver.received.count
        world.clock.advance(.days(1))
        try await world.send()
        #expect(world.receiver.received.count == count)
        world.receiver.alwaysAnswer(.delivered(status: 200))
        #expect(try await world.service.resume(webhook.id, at: world.now).state == .active)
        try await world.send()
        #expect(world.receiver.received.contains { $0.id == id })
        let resumed = try await world.service.show(webhook.id)
        #expect(resumed.waiting == 0 && resumed.failed == 0)
    }

    @Test(
        "Trap: A webhook fails, and the server is stopped for weeks – this time does not count as three days of failures"
    )
    func stopped() async throws {
        let webhook = try await world.add()
        try await world.event(for: webhook)
        world.receiver.alwaysAnswer(.down)
        try await world.send()
        world.clock.advance(.days(60))
        try await world.send()
        let failing = try await world.service.show(webhook.id)
        #expect(failing.state == .active && failing.failingSince == world.now)
    }

    @Test("Are not stored for a webhook that is gone, and are sent again when it is resumed and they are replayed")
    func gone() async throws {
        let webhook = try await world.add()
        let id = try await world.event(for: webhook)
        world.receiver.answer(.gone)
        try await world.send()
        await #expect(throws: ServerError.self) { try await world.event(for: webhook) }
        #expect(try await world.service.replay(.init(state: .failed), at: world.now) == 1)
        try await world.send()
        #expect(world.receiver.received.count == 1)
        _ = try await world.service.resume(webhook.id, at: world.now)
        try await world.send()
        #expect(world.receiver.received.map(\.id) == [id, id])
        #expect(try await world.states() == [.delivered])
    }

    @Test(
        """
        Trap: The receiver answers 410 to one event while another server sends the next one – the outcome of that attempt \
        is stored, and it is the last one
        """, arguments: [WebhookOutcome.delivered(status: 200), .down])
    func goneMeanwhile(outcome: WebhookOutcome) async throws {
        let webhook = try await world.add()
        let sent = try await world.event(for: webhook)
        world.clock.advance(.milliseconds(1))
        try await world.event(for: webhook)
        world.receiver.answer(.gone)
        try await world.lane(LateReceiver(other: world.lane(), answer: outcome)).run()
        let isDelivered = outcome == .delivered(status: 200)
        #expect(try await world.states() == [isDelivered ? .delivered : .failed, .failed])
        let delivery = try #require(try await world.service.deliveries().first { $0.id == sent })
        #expect(delivery.status == (isDelivered ? 200 : 503) && delivery.attempts == 1)
        let gone = try await world.service.show(webhook.id)
        #expect(gone.state == .gone && gone.detail?.hasPrefix(isDelivered ? "HTTP 410" : "HTTP 503") == true)
    }

    @Test(
        "Trap: The receiver answers 410 while a server that has died still leases an event – that event waits no more")
    func goneAfterDeath() async throws {
        let webhook = try await world.add()
        try await world.event(for: webhook)
        world.clock.advance(.milliseconds(1))
        try await world.event(for: webhook)
        let lane = world.lane(DyingReceiver())
        try await Task { try await lane.run() }.value
        world.receiver.answer(.gone)
        try await world.send()
        #expect(try await world.states() == [.failed, .failed])
        let details = try await world.service.deliveries().map(\.detail)
        #expect(details.contains { $0?.hasPrefix("perhaps not sent") == true })
        world.clock.advance(.minutes(1))
        _ = try await world.service.resume(webhook.id, at: world.now)
        try await world.send()
        #expect(world.receiver.received.count == 1, "What was given up is sent only by a replay.")
    }

    @Test("Wait again if they fail after the webhook has gone off and was resumed")
    func resumedMeanwhile() async throws {
        let webhook = try await world.add()
        let sent = try await world.event(for: webhook)
        world.clock.advance(.milliseconds(1))
        try await world.event(for: webhook)
        world.receiver.answer(.gone)
        let (service, now) = (world.service, world.now)
        let receiver = LateReceiver(other: world.lane(), answer: .down) {
            _ = try await service.resume(webhook.id, at: now)
        }
        try await world.lane(receiver).run()
        #expect(try await world.states() == [.waiting, .failed])
        world.clock.advance(.seconds(10))
        try await world.send()
        #expect(world.receiver.received.last?.id == sent)
        #expect(try await world.states() == [.delivered, .failed])
    }

    @Test("Wait while the operator pauses the webhook")
    func paused() async throws {
        let webhook = try await world.add()
        #expect(try await world.service.pause(webhook.id).state == .paused)
        try await world.event(for: webhook)
        try await world.send()
        #expect(world.receiver.received.isEmpty)
        _ = try await world.service.resume(webhook.id, at: world.now)
        try await world.send()
        #expect(world.receiver.received.count == 1)
    }

    @Test("Are sent again with the same id if the server dies during an attempt")
    func crash() async throws {
        let webhook = try await world.add()
        let id = try await world.event(for: webhook)
        let lane = world.lane(DyingReceiver())
        try await Task { try await lane.run() }.value
        #expect(try await world.states() == [.waiting])
        try await world.send()
        #expect(world.receiver.received.isEmpty)
        world.clock.advance(.minutes(1))
        try await world.send()
        #expect(world.receiver.received.map(\.id) == [id])
        #expect(try await world.service.deliveries().map(\.attempts) == [2])
    }

    @Test("Can be sent once more, singly or since a time, with the same ids")
    func replay() async throws {
        let webhook = try await world.add()
        let first = try await world.event(for: webhook)
        try await world.send()
        world.clock.advance(.seconds(10))
        let (later, second) = (world.now, try await world.event(for: webhook))
        try await world.send()
        #expect(try await world.service.replay([first], at: world.now) == 1)
        #expect(try await world.service.replay([first], at: world.now) == 0)
        try await world.send()
        #expect(try await world.service.replay(.init(webhook: webhook.id, since: later), at: world.now) == 1)
        try await world.send()
        #expect(world.receiver.received.map(\.id) == [first, second, first, second])
        await #expect(throws: ServerError.self) { try await world.service.replay([.numbered(1)], at: world.now) }
    }

    @Test("Are limited in number")
    func limit() async throws {
        let webhook = try await world.add()
        try await world.service.fill(webhook.id, in: world.database)
        let error = await #expect(throws: ServerError.self) { try await world.event(for: webhook) }
        #expect(error?.code == .tooMany)
    }

    @Test("Are removed with their webhook, and after thirty days")
    func removed() async throws {
        let (first, second) = (try await world.add(), try await world.add())
        try await world.event(for: first)
        try await world.event(for: second)
        try await world.service.remove(first.id)
        #expect(try await world.service.deliveries().map(\.webhook) == [second.id])
        world.clock.advance(WebhookLimits.kept + .seconds(1))
        try await Housekeeping(database: world.database, signals: .none).purge(world.now)
        #expect(try await world.service.deliveries().isEmpty)
        #expect(try await world.service.list().map(\.id) == [second.id])
    }

    @Test(
        """
        Trap: A webhook is removed or goes off while an event is stored for it – the event is not stored, and the error \
        says so
        """,
        arguments: [
            ("DELETE FROM webhook", Problem.Code.notFound),
            ("UPDATE webhook SET state = 'gone'", Problem.Code.conflict),
        ])
    func removedMeanwhile(change: String, code: Problem.Code) async throws {
        let webhook = try await world.add()
        let overtaken = OvertakenDatabase(world.database) { sql, transaction in
            if sql.hasPrefix("INSERT INTO webhook_delivery") { try transaction.execute(change, []) }
        }
        let service = WebhookService(database: overtaken)
        let error = await #expect(throws: ServerError.self) { try await service.test(webhook.id, at: world.now) }
        #expect(error?.code == code)
        #expect(try await world.service.deliveries().isEmpty)
    }

    @Test("Are logged without the address of the webhook")
    func log() async throws {
        let webhook = try await world.add("https://tea.example.com/kith?key=secret")
        let (id, log) = (try await world.event(for: webhook), LogKeeper())
        world.receiver.answer(.down)
        try await world.lane(log: log).run()
        #expect(log.text.contains("\(id)") && !log.text.contains("tea.example.com"))
    }

    @Test("Are sent by a running server, which shows it in its metrics")
    func server() async throws {
        let double = WebhookDouble()
        let (database, service) = (world.database, world.service)
        try await double.serving { [world] url in
            let webhook = try await service.add("\(url)/taken", at: world.now).webhook
            _ = try await service.test(webhook.id, at: world.now)
            let server = KithServer(.patient, database: database, clock: world.clock.server)
            try await server.serving { _ in
                try await Limit("The event arrives").until { double.received.count == 1 }
                try await Limit("It is counted").until {
                    server.metrics.text.contains(#"kith_webhooks_total{event="delivered"} 1"#)
                }
            }
        }
    }
}

/// A receiver during whose answer the server is stopped.
private struct DyingReceiver: WebhookTransport {
    func send(_ request: WebhookRequest) async -> WebhookOutcome {
        stop()
        return .delivered(status: 200)
    }

    private func stop() { withUnsafeCurrentTask { $0?.cancel() } }

    func rest(_ webhook: Webhook.ID) async {}
}

/// A receiver that answers after another server has sent what else waits, and perhaps something else has happened.
private struct LateReceiver: WebhookTransport {
    let other: WebhookLane
    let answer: WebhookOutcome
    var then: @Sendable () async throws -> Void = {}

    func send(_ request: WebhookRequest) async -> WebhookOutcome {
        do {
            try await other.run()
            try await then()
        } catch { Issue.record(error) }
        return answer
    }

    func rest(_ webhook: Webhook.ID) async {}
}

extension WebhookService {
    /// Lets so many events wait: as many as may, unless a test wants fewer.
    func fill(
        _ webhook: Webhook.ID, to count: Int = WebhookLimits.waiting, in database: any Database
    ) async throws {
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO webhook_delivery (id, webhook, kind, body, state, attempts, created, due, leased_until)
                WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                SELECT randomblob(16), ?, 'test', '{}', 'waiting', 0, 0, 0, 0 FROM number
                """, [.integer(Int64(count)), .id(webhook)])
        }
    }
}
