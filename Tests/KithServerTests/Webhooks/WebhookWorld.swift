import Foundation
import KithModel
import KithServer
import Synchronization

/// A database in memory with a webhook, a clock that tests move, and a receiver that answers as told.
struct WebhookWorld {
    let database: SQLiteDatabase
    let clock = HandClock()
    let receiver = ToldReceiver()
    let service: WebhookService
    private let random: RandomBytes

    init() throws {
        let random = RandomBytes(seed: 11)
        self.random = random
        database = try SQLiteDatabase.inMemory(random: random)
        service = WebhookService(database: database, random: random)
    }

    var now: Timestamp { HandClock.start + clock.now }

    /// Adds a webhook.
    func add(_ url: String = "https://tea.example.com/kith") async throws -> Webhook {
        try await service.add(url, at: now).webhook
    }

    /// Adds an event for a webhook.
    @discardableResult func event(for webhook: Webhook) async throws -> RecordID<WebhookDelivery> {
        try await service.test(webhook.id, at: now)
    }

    func lane(_ transport: (any WebhookTransport)? = nil, log: LogKeeper = LogKeeper()) -> WebhookLane {
        WebhookLane(
            transport ?? receiver, database: database, clock: clock.server,
            metrics: WebhookMetrics(PrometheusRegistry()), logger: log.logger, random: random)
    }

    /// Sends what is due, to the receiver that is told what to answer.
    func send() async throws { try await lane().run() }

    /// The states of all events, oldest first.
    func states() async throws -> [WebhookDelivery.State] {
        try await service.deliveries().reversed().map(\.state)
    }
}

/// A receiver that answers as a test tells it, and keeps what it was given.
final class ToldReceiver: WebhookTransport {
    private struct State {
        var answers: [WebhookOutcome] = []
        var standard = WebhookOutcome.delivered(status: 200)
        var received: [WebhookRequest] = []
    }

    private let state = Mutex(State())

    /// The next answers; afterwards it answers with the standard.
    func answer(_ answers: WebhookOutcome...) { state.withLock { $0.answers += answers } }

    /// Sets the standard answer.
    func alwaysAnswer(_ answer: WebhookOutcome) { state.withLock { $0.standard = answer } }

    var received: [WebhookRequest] { state.withLock(\.received) }

    func send(_ request: WebhookRequest) async -> WebhookOutcome {
        state.withLock { state in
            state.received.append(request)
            return state.answers.isEmpty ? state.standard : state.answers.removeFirst()
        }
    }

    func rest(_ webhook: Webhook.ID) async {}
}

extension WebhookOutcome {
    /// A receiver that is in trouble.
    static let down = WebhookOutcome(status: 503)
}
