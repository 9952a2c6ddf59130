package import KithModel

/// A row of the table `webhook_delivery`: an event for one webhook, and what has become of it.
package struct WebhookDelivery: Hashable, Sendable, Identifiable {
    /// What has become of it.
    package enum State: String, CaseIterable, Hashable, Sendable {
        case waiting, delivered, failed
    }

    package let id: RecordID<WebhookDelivery>
    package let webhook: Webhook.ID
    package let kind: WebhookEvent.Kind
    /// The JSON text.
    package let body: String
    package let state: State
    /// The number of attempts so far.
    package let attempts: Int
    package let created: Timestamp
    /// The time of the next attempt; nil if there is none.
    package let due: Timestamp?
    /// When it was delivered or given up; nil if it waits.
    package let ended: Timestamp?
    /// The status of the last answer; nil if there was none.
    package let status: Int?
    /// Why the last attempt has failed; nil if it has not.
    package let detail: String?

    private static let columns =
        "id, webhook, kind, body, state, attempts, created, due, ended, status, detail"

    private init(_ row: SQLRow) throws {
        id = try row.id(0)
        webhook = try row.id(1)
        kind = WebhookEvent.Kind(rawValue: try row.text(2)) ?? .test
        body = try row.text(3)
        state = State(rawValue: try row.text(4)) ?? .failed
        attempts = Int(try row.integer(5))
        created = try row.time(6)
        due = state == .waiting ? try row.time(7) : nil
        ended = try row.optionalTime(8)
        status = row.isNull(9) ? nil : Int(try row.integer(9))
        detail = try row.optionalText(10)
    }

    /// Which deliveries are meant.
    package struct Filter: Hashable, Sendable {
        /// Only those of this webhook; nil for all.
        package var webhook: Webhook.ID?
        /// Only those with this state; nil for all.
        package var state: State?
        /// Only those that were made at this time or later; nil for all.
        package var since: Timestamp?

        package init(webhook: Webhook.ID? = nil, state: State? = nil, since: Timestamp? = nil) {
            (self.webhook, self.state, self.since) = (webhook, state, since)
        }

        fileprivate var condition: SQLCondition {
            var condition = SQLCondition()
            if let webhook { condition.require("webhook = ?", .id(webhook)) }
            if let state { condition.require("state = ?", .text(state.rawValue)) }
            if let since { condition.require("created >= ?", .time(since)) }
            return condition
        }
    }

    /// The newest deliveries, newest first.
    static func newest(_ limit: Int, _ filter: Filter, in transaction: any Transaction) throws -> [WebhookDelivery] {
        let condition = filter.condition
        return try transaction.query(
            """
            SELECT \(columns) FROM webhook_delivery WHERE \(condition.sql) ORDER BY created DESC, id DESC LIMIT ?
            """, condition.values + [.integer(Int64(limit))]
        ).map(WebhookDelivery.init)
    }

    static func find(_ id: WebhookDelivery.ID, in transaction: any Transaction) throws -> WebhookDelivery? {
        try transaction.query("SELECT \(columns) FROM webhook_delivery WHERE id = ?", [.id(id)]).first
            .map(WebhookDelivery.init)
    }

    /// The number of deliveries in each state.
    static func counts(in transaction: any Transaction) throws -> [State: Int] {
        let rows = try transaction.query("SELECT state, count(*) FROM webhook_delivery GROUP BY state")
        var counts = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, 0) })
        for row in rows {
            if let state = State(rawValue: try row.text(0)) { counts[state] = Int(try row.integer(1)) }
        }
        return counts
    }

    /// Lets deliveries that have ended wait again, with all their attempts. Their ids stay, so that a receiver recognises
    /// what it has.
    ///
    /// - Returns: Those that wait again.
    static func replay(
        _ filter: Filter, at now: Timestamp, in transaction: any Transaction
    ) throws -> [WebhookDelivery.ID] {
        let condition = filter.condition
        return try replay(where: condition.sql, condition.values, at: now, in: transaction)
    }

    /// ``replay(_:at:in:)`` of a single one.
    static func replay(
        _ id: WebhookDelivery.ID, at now: Timestamp, in transaction: any Transaction
    ) throws -> Bool {
        try !replay(where: "id = ?", [.id(id)], at: now, in: transaction).isEmpty
    }

    private static func replay(
        where condition: String, _ values: [SQLValue], at now: Timestamp, in transaction: any Transaction
    ) throws -> [WebhookDelivery.ID] {
        try transaction.query(
            """
            UPDATE webhook_delivery SET state = ?, attempts = 0, due = ?, ended = NULL, lease = NULL, leased_until = 0
            WHERE state <> ? AND \(condition) RETURNING id
            """, [.text(State.waiting.rawValue), .time(now), .text(State.waiting.rawValue)] + values
        ).map { try $0.id(0) }
    }

    /// Makes all that wait for a webhook due, with all their attempts.
    static func hasten(_ webhook: Webhook.ID, at now: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE webhook_delivery SET attempts = 0, due = ? WHERE webhook = ? AND state = ?",
            [.time(now), .id(webhook), .text(State.waiting.rawValue)])
    }
}
