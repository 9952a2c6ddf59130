import KithModel

/// Stores events for the webhooks that want them, in the transaction of what they report. An event is therefore stored if and
/// only if its cause is, and as often.
struct WebhookOutbox {
    let transaction: any Transaction
    let now: Timestamp
    let random: RandomBytes

    /// Stores an event of a programme.
    ///
    /// - Parameters:
    ///   - kind: What has happened.
    ///   - programme: The name of the programme.
    ///   - content: Makes the rest of the event. It is called only if a webhook wants it.
    /// - Throws: An error of the database, or what `content` throws.
    func add(
        _ kind: WebhookEvent.Kind, in programme: String, _ content: () throws -> WebhookEvent.Content
    ) throws {
        let webhooks = try Webhook.wanting(kind, in: programme, in: transaction)
        if webhooks.isEmpty { return }
        let event = try WebhookEvent(kind, at: now, try content())
        for webhook in webhooks { _ = try add(event, for: webhook) }
    }

    /// What has become of an event for one webhook.
    enum Addition {
        case stored(WebhookDelivery.ID)
        /// It is only counted, because too many wait.
        case dropped
        /// The webhook was removed, or is off.
        case refused
    }

    /// Stores an event for one webhook.
    func add(_ event: WebhookEvent, for webhook: Webhook.ID) throws -> Addition {
        let most = event.kind == .shared ? WebhookLimits.waitingForShares : WebhookLimits.waiting
        let waiting = try transaction.count(
            "SELECT count(*) FROM (SELECT 1 FROM webhook_delivery WHERE webhook = ? AND state = ? LIMIT ?) AS waiting",
            [
                .id(webhook), .text(WebhookDelivery.State.waiting.rawValue),
                .integer(Int64(most)),
            ])
        guard waiting < most else {
            try Webhook.noteDropped(webhook, in: transaction)
            return .dropped
        }
        let id = WebhookDelivery.ID(at: now, random: random)
        let isStored = try transaction.changes(
            """
            INSERT INTO webhook_delivery (id, webhook, kind, body, state, attempts, created, due, leased_until)
            SELECT ?, webhook.id, ?, ?, ?, 0, ?, ?, 0 FROM webhook
            WHERE webhook.id = ? AND webhook.state <> ?\(transaction.dialect.keeping("webhook")) RETURNING id
            """,
            [
                .id(id), .text(event.kind.rawValue), .text(event.body),
                .text(WebhookDelivery.State.waiting.rawValue), .time(now), .time(now), .id(webhook),
                .text(Webhook.State.gone.rawValue),
            ])
        return isStored ? .stored(id) : .refused
    }
}
