import Foundation
import KithModel

/// The events on their way to webhooks: takes the next one for an attempt, and stores how the attempt ended.
struct WebhookQueue {
    private let transaction: any Transaction

    init(_ transaction: any Transaction) { self.transaction = transaction }

    /// An event that is leased for an attempt.
    struct Attempt: Sendable {
        let webhook: Webhook.ID
        let id: WebhookDelivery.ID
        let address: String
        /// The secrets with which the request is signed.
        let secrets: [WebhookSecret]
        let body: String
        /// The number of attempts, with this one.
        let attempts: Int
        let lease: DeliveryLease

        /// The request of an attempt; nil if the address is none.
        func request(at now: Timestamp) -> WebhookRequest? {
            guard let address = WebhookAddress(address) else { return nil }
            let seconds = now.milliseconds / 1_000
            let signatures = secrets.map { $0.signature(id: id.description, seconds: seconds, body: body) }
            return WebhookRequest(
                webhook: webhook, address: address, id: id, seconds: seconds,
                signatures: signatures.joined(separator: " "), body: body)
        }
    }

    private static let waiting = SQLValue.text(WebhookDelivery.State.waiting.rawValue)
    private static let active = SQLValue.text(Webhook.State.active.rawValue)

    // MARK: Taking

    /// A time further ahead than ``WebhookRules/longestWait`` was stored while the clock was ahead. It counts as past.
    private static let hasRested = "(rests_until IS NULL OR rests_until <= ? OR rests_until > ?)"
    private static let isFree = "(leased_until <= ? OR leased_until > ?)"
    /// The conditions of an event that is due, each with a range of the index.
    private static let isDue = ["due <= ?", "due > ?"]

    /// The webhooks to which something can be sent.
    func due(at now: Timestamp) throws -> [Webhook.ID] {
        let times: [SQLValue] = [.time(now), .time(now + WebhookRules.longestWait)]
        let waits = Self.isDue.map { isDue in
            """
            EXISTS (
                SELECT 1 FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id
                    AND webhook_delivery.state = ? AND \(isDue) AND \(Self.isFree)
            )
            """
        }
        return try transaction.query(
            "SELECT id FROM webhook WHERE state = ? AND \(Self.hasRested) AND (\(waits.joined(separator: " OR "))) ORDER BY id",
            [Self.active] + times + times.flatMap { [Self.waiting, $0] + times }
        ).map { try $0.id(0) }
    }

    /// Takes the event of a webhook that is due first, and leases it to one worker.
    ///
    /// - Returns: The event; nil if none is due, or the webhook gets none now.
    func take(_ webhook: Webhook.ID, lease: DeliveryLease, at now: Timestamp) throws -> Attempt? {
        let times: [SQLValue] = [.time(now), .time(now + WebhookRules.longestWait)]
        let found = try transaction.query(
            """
            SELECT url, secret, old_secret, old_until FROM webhook WHERE id = ? AND state = ? AND \(Self.hasRested)
            """, [.id(webhook), Self.active] + times
        ).first
        var next: SQLRow?
        for (isDue, time) in zip(Self.isDue, times) where next == nil {
            next = try transaction.query(
                """
                SELECT id FROM webhook_delivery WHERE webhook = ? AND state = ? AND \(isDue) AND \(Self.isFree)
                ORDER BY due, id LIMIT 1\(transaction.dialect.locking("webhook_delivery"))
                """, [.id(webhook), Self.waiting, time] + times
            ).first
        }
        guard let found, let id: WebhookDelivery.ID = try next?.id(0) else { return nil }
        let leased = try transaction.query(
            """
            UPDATE webhook_delivery SET lease = ?, leased_until = ?, attempts = attempts + 1 WHERE id = ?
            RETURNING body, attempts
            """, [.bytes(lease.name), .time(lease.end), .id(id)]
        ).first
        guard let leased else { return nil }
        var secrets = [WebhookSecret(bytes: try found.bytes(1))]
        if let old = try found.optionalBytes(2), let end = try found.optionalTime(3), now < end {
            secrets.append(WebhookSecret(bytes: old))
        }
        return Attempt(
            webhook: webhook, id: id, address: try found.text(0), secrets: secrets, body: try leased.text(0),
            attempts: Int(try leased.integer(1)), lease: lease)
    }

    // MARK: Settling

    /// What the next step depends on. Unlike ``Webhook``, it counts no events.
    private struct Standing {
        let id: Webhook.ID
        let state: Webhook.State
        let failures: Int
        let failingSince: Timestamp?
        let restsUntil: Timestamp?
    }

    private func standing(of id: Webhook.ID) throws -> Standing? {
        try transaction.query(
            """
            SELECT state, failures, failing_since, rests_until FROM webhook
            WHERE id = ?\(transaction.dialect.locking("webhook"))
            """, [.id(id)]
        ).first.map { row in
            Standing(
                id: id, state: Webhook.State(rawValue: try row.text(0)) ?? .paused,
                failures: Int(try row.integer(1)), failingSince: try row.optionalTime(2),
                restsUntil: try row.optionalTime(3))
        }
    }

    /// Stores how an attempt ended.
    ///
    /// - Returns: The step that was taken; nil if the lease has ended or the event was removed.
    func settle(
        _ attempt: Attempt, _ outcome: WebhookOutcome, chance: Double, at now: Timestamp
    ) throws -> WebhookRules.Step? {
        // An event that was given up during the attempt still has its lease.
        let isLeased = try transaction.exists(
            "SELECT id FROM webhook_delivery WHERE id = ? AND lease = ?\(transaction.dialect.locking("webhook_delivery"))",
            [.id(attempt.id), .bytes(attempt.lease.name)])
        guard isLeased, let webhook = try standing(of: attempt.webhook) else { return nil }
        let since = WebhookRules.failing(since: webhook.failingSince, rested: webhook.restsUntil, at: now)
        let step = WebhookRules.step(
            after: outcome, attempts: attempt.attempts, failures: webhook.failures, failing: now - since,
            isGone: webhook.state == .gone, chance: chance)
        switch step.delivery {
        case .delivered: try end(attempt.id, .delivered, outcome, at: now)
        case .failed: try end(attempt.id, .failed, outcome, at: now)
        case .retry(let pause):
            try transaction.execute(
                """
                UPDATE webhook_delivery SET state = ?, due = ?, ended = NULL, lease = NULL, leased_until = 0, status = ?,
                    detail = ? WHERE id = ?
                """,
                [
                    Self.waiting, .time(now + pause), Self.status(outcome), .text(outcome.detail), .id(attempt.id),
                ])
        }
        switch step.endpoint {
        // One that is off keeps the reason.
        case .works: if webhook.state != .gone { try noteWorking(webhook) }
        case .rests(let pause): try noteFailing(webhook, webhook.state, outcome, rests: now + pause, since: since)
        case .pauses: try noteFailing(webhook, .failing, outcome, since: since)
        case .ends:
            try noteFailing(webhook, .gone, outcome, since: since)
            try giveUp(webhook.id, at: now)
        }
        return step
    }

    private func end(
        _ id: WebhookDelivery.ID, _ state: WebhookDelivery.State, _ outcome: WebhookOutcome, at now: Timestamp
    ) throws {
        try transaction.execute(
            """
            UPDATE webhook_delivery SET state = ?, ended = ?, lease = NULL, leased_until = 0, status = ?, detail = ?
            WHERE id = ?
            """,
            [.text(state.rawValue), .time(now), Self.status(outcome), .text(outcome.detail), .id(id)])
    }

    /// Ends all events that wait for a webhook. The answer that has ended it belongs to another event.
    ///
    /// One that is being sent keeps its lease, so that ``settle(_:_:chance:at:)`` stores its outcome. Nobody does if its
    /// sender has died. One that another transaction has locked is being settled.
    private func giveUp(_ webhook: Webhook.ID, at now: Timestamp) throws {
        let failed = SQLValue.text(WebhookDelivery.State.failed.rawValue)
        try transaction.execute(
            """
            UPDATE webhook_delivery SET state = ?, ended = ?, lease = NULL, leased_until = 0, detail = ?
            WHERE webhook = ? AND state = ? AND leased_until <= ?
            """,
            [
                failed, .time(now), .text("not sent: the receiver has answered HTTP 410 to another event"),
                .id(webhook), Self.waiting, .time(now),
            ])
        try transaction.execute(
            """
            UPDATE webhook_delivery SET state = ?, ended = ?, detail = ? WHERE id IN (
                SELECT id FROM webhook_delivery
                WHERE webhook = ? AND state = ?\(transaction.dialect.lockingUnlocked("webhook_delivery"))
            )
            """,
            [
                failed, .time(now),
                .text("perhaps not sent: the receiver has answered HTTP 410 to another event meanwhile"), .id(webhook),
                Self.waiting,
            ])
    }

    private func noteWorking(_ webhook: Standing) throws {
        try transaction.execute(
            "UPDATE webhook SET failures = 0, failing_since = NULL, rests_until = NULL, detail = NULL WHERE id = ?",
            [.id(webhook.id)])
    }

    private func noteFailing(
        _ webhook: Standing, _ state: Webhook.State, _ outcome: WebhookOutcome, rests: Timestamp? = nil,
        since: Timestamp
    ) throws {
        // The operator may have paused it during the attempt.
        let state = state == .failing && webhook.state == .paused ? Webhook.State.paused : state
        try transaction.execute(
            """
            UPDATE webhook SET state = ?, failures = failures + 1, failing_since = ?, rests_until = ?, detail = ?
            WHERE id = ?
            """,
            [
                .text(state.rawValue), .time(since), .time(rests), .text(outcome.detail),
                .id(webhook.id),
            ])
    }

    private static func status(_ outcome: WebhookOutcome) -> SQLValue {
        outcome.status.map { .integer(Int64($0)) } ?? .null
    }
}
