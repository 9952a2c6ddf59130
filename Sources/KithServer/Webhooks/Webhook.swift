package import KithModel

/// A row of the table `webhook`: an address at which the operator's own systems learn what sharing has brought. Its secret is
/// not in it.
package struct Webhook: Hashable, Sendable, Identifiable {
    /// Whether it gets events.
    package enum State: String, CaseIterable, Hashable, Sendable {
        /// It gets events.
        case active
        /// The operator has paused it. Events wait.
        case paused
        /// The server has paused it, because it has failed for too long. Events wait.
        case failing
        /// Its receiver wants no more events. None are stored for it.
        case gone
    }

    package let id: RecordID<Webhook>
    package let url: String
    /// The only programme whose events it gets; nil for all.
    package let programme: String?
    /// The events that it gets, in the order of ``WebhookEvent/Kind/choices``.
    package let kinds: [WebhookEvent.Kind]
    package let state: State
    package let created: Timestamp
    /// The failed attempts in a row.
    package let failures: Int
    /// Since when no attempt was successful; nil if the last one was.
    package let failingSince: Timestamp?
    /// Until when nothing is sent, because an attempt has failed; nil if it was not so.
    package let rests: Timestamp?
    /// The events that were not stored, because too many waited.
    package let dropped: Int
    /// Why the last attempt has failed; nil if it was successful, or there was none.
    package let detail: String?
    /// Until when its requests are also signed with the secret before the last one; nil if they are not.
    package let oldSecretUntil: Timestamp?
    /// The number of events that wait.
    package let waiting: Int
    /// The number of events that were given up.
    package let failed: Int

    private static let columns = """
        id, url, programme, kinds, state, created, failures, failing_since, rests_until, dropped, detail, old_until,
        (SELECT count(*) FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id AND state = 'waiting'),
        (SELECT count(*) FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id AND state = 'failed')
        """

    private init(_ row: SQLRow) throws {
        id = try row.id(0)
        url = try row.text(1)
        programme = try row.optionalText(2)
        kinds = Self.kinds(try row.text(3))
        state = State(rawValue: try row.text(4)) ?? .paused
        created = try row.time(5)
        failures = Int(try row.integer(6))
        failingSince = try row.optionalTime(7)
        rests = try row.optionalTime(8)
        dropped = Int(try row.integer(9))
        detail = try row.optionalText(10)
        oldSecretUntil = try row.optionalTime(11)
        waiting = Int(try row.integer(12))
        failed = Int(try row.integer(13))
    }

    // MARK: Reading

    static func all(in transaction: any Transaction) throws -> [Webhook] {
        try transaction.query("SELECT \(columns) FROM webhook ORDER BY created, id").map(Webhook.init)
    }

    static func find(_ id: Webhook.ID, in transaction: any Transaction) throws -> Webhook? {
        try transaction.query("SELECT \(columns) FROM webhook WHERE id = ?", [.id(id)]).first.map(Webhook.init)
    }

    /// The webhooks that get an event of a programme.
    static func wanting(
        _ kind: WebhookEvent.Kind, in programme: String, in transaction: any Transaction
    ) throws -> [Webhook.ID] {
        try transaction.query(
            "SELECT id, kinds FROM webhook WHERE state <> ? AND (programme IS NULL OR programme = ?) ORDER BY id",
            [.text(State.gone.rawValue), .text(programme)]
        ).filter { kinds(try $0.text(1)).contains(kind) }.map { try $0.id(0) }
    }

    private static func kinds(_ text: String) -> [WebhookEvent.Kind] {
        let names = Set(text.split(separator: " ").map(String.init))
        return WebhookEvent.Kind.choices.filter { names.contains($0.rawValue) }
    }

    // MARK: Writing

    /// Writes a new row.
    static func insert(
        _ id: Webhook.ID, _ address: WebhookAddress, programme: String?, _ kinds: Set<WebhookEvent.Kind>,
        _ secret: WebhookSecret, at now: Timestamp, in transaction: any Transaction
    ) throws {
        let names = WebhookEvent.Kind.choices.filter { kinds.contains($0) }.map(\.rawValue)
        try transaction.execute(
            """
            INSERT INTO webhook (id, url, programme, kinds, secret, state, created, failures, dropped)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)
            """,
            [
                .id(id), .text(address.text), .text(programme), .text(names.joined(separator: " ")),
                .bytes(secret.bytes), .text(State.active.rawValue), .time(now),
            ])
    }

    /// Counts an event that is not stored, because too many wait.
    static func noteDropped(_ id: Webhook.ID, in transaction: any Transaction) throws {
        try transaction.execute("UPDATE webhook SET dropped = dropped + 1 WHERE id = ?", [.id(id)])
    }

    /// Pauses the webhook.
    func pause(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE webhook SET state = ? WHERE id = ?", [.text(State.paused.rawValue), .id(id)])
    }

    /// Lets it get events at once.
    func resume(in transaction: any Transaction) throws {
        try transaction.execute(
            """
            UPDATE webhook SET state = ?, failures = 0, failing_since = NULL, rests_until = NULL, dropped = 0
            WHERE id = ?
            """, [.text(State.active.rawValue), .id(id)])
    }

    /// Replaces the secret. The last one stays valid until a time.
    func replaceSecret(
        by secret: WebhookSecret, until end: Timestamp, in transaction: any Transaction
    ) throws {
        try transaction.execute(
            "UPDATE webhook SET old_secret = secret, old_until = ?, secret = ? WHERE id = ?",
            [.time(end), .bytes(secret.bytes), .id(id)])
    }

    /// Removes it with its events.
    func remove(in transaction: any Transaction) throws {
        let events = "DELETE FROM webhook_delivery WHERE webhook = ?"
        // An attempt that ends locks its event before the webhook, and so does this.
        try transaction.execute(events, [.id(id)])
        // This waits for those who store an event.
        try transaction.execute("DELETE FROM webhook WHERE id = ?", [.id(id)])
        try transaction.execute(events, [.id(id)])
    }
}
