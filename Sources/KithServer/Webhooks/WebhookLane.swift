import KithModel
package import Logging
import ServiceLifecycle

/// Sends the events of webhooks, one after the other for each.
///
/// Each event is leased before the attempt, and its outcome is stored after it. If the server dies in between, the lease ends
/// and the event is sent again with the same id.
package struct WebhookLane: Sendable {
    /// How much longer than an attempt a lease lasts, for the outcome to be stored.
    static let leaseMargin = Duration.seconds(30)

    private let transport: any WebhookTransport
    private let database: any Database
    private let clock: ServerClock
    private let metrics: WebhookMetrics
    private let logger: Logger
    private let random: RandomBytes

    package init(
        _ transport: any WebhookTransport, database: any Database, clock: ServerClock, metrics: WebhookMetrics,
        logger: Logger, random: RandomBytes = .system
    ) {
        self.transport = transport
        self.database = database
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        self.random = random
    }

    /// The webhooks to which something can be sent.
    package func due() async throws -> [Webhook.ID] {
        try await database.read { [clock] in try WebhookQueue($0).due(at: clock.time()) }
    }

    /// Sends to all webhooks until nothing is due.
    package func run() async throws {
        for webhook in try await due() { try await run(webhook) }
    }

    /// Sends to a webhook until nothing is due, or the server is to stop.
    ///
    /// - Throws: An error of the database, after which events may still be due.
    package func run(_ webhook: Webhook.ID) async throws {
        while !Task.isShuttingDownGracefully, let attempt = try await take(webhook) {
            let outcome = await send(attempt)
            // The server has stopped waiting. The lease ends, and the event is sent again.
            if Task.isCancelled { break }
            try await settle(attempt, outcome)
        }
        await transport.rest(webhook)
    }

    private func take(_ webhook: Webhook.ID) async throws -> WebhookQueue.Attempt? {
        // This check needs no commit.
        guard try await due().contains(webhook) else { return nil }
        let lease = DeliveryLease(until: clock.time() + WebhookLimits.deadline + Self.leaseMargin, random: random)
        return try await database.write { [clock] in
            try WebhookQueue($0).take(webhook, lease: lease, at: clock.time())
        }
    }

    private func send(_ attempt: WebhookQueue.Attempt) async -> WebhookOutcome {
        guard let request = attempt.request(at: clock.time()) else {
            return .failed(status: nil, "The address is not valid.")
        }
        return await transport.send(request)
    }

    private func settle(_ attempt: WebhookQueue.Attempt, _ outcome: WebhookOutcome) async throws {
        var numbers = RandomNumbers(random)
        let chance = Double.random(in: 0...1, using: &numbers)
        let step = try await database.write { [clock] in
            try WebhookQueue($0).settle(attempt, outcome, chance: chance, at: clock.time())
        }
        report(attempt, step)
    }

    private func report(_ attempt: WebhookQueue.Attempt, _ step: WebhookRules.Step?) {
        // The address may have a secret in it, so it is not logged.
        let metadata: Logger.Metadata = [
            "webhook": "\(attempt.webhook)", "event": "\(attempt.id)", "attempts": "\(attempt.attempts)",
        ]
        switch step?.delivery {
        case .delivered: metrics.count(.delivered)
        case .retry: metrics.count(.retried)
        case .failed: metrics.count(.failed)
        case nil: break
        }
        switch step?.endpoint {
        case .works, nil: break
        case .rests: logger.info("A webhook did not take an event.", metadata: metadata)
        case .pauses:
            logger.error(
                "A webhook has failed for three days and is paused. “kith admin webhook resume” ends that.",
                metadata: metadata)
        case .ends:
            logger.warning("A webhook’s receiver wants no more events, so it is off.", metadata: metadata)
        }
    }
}
