import Foundation
import KithModel

/// The statements over the table `message`.
struct MessageTable {
    private let transaction: any Transaction

    init(_ transaction: any Transaction) { self.transaction = transaction }

    func insert(_ message: StoredMessage, recipient: Data, sender: AccountID?, _ state: MessageState) throws {
        var failure: MessageFailure?
        if case .failed(let found) = state { failure = found }
        let isQueued = state == .queued
        func content(_ text: String) -> SQLValue { isQueued ? .text(text) : .null }
        try transaction.execute(
            """
            INSERT INTO message (
                id, channel, kind, language, sender, recipient, recipient_hash, can_unsubscribe,
                subject, body, html, unsubscribe, state, reason, detail,
                attempts, created, expires, urgency, due, leased_until
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, 0)
            """,
            [
                .id(message.id), .text(message.channel.rawValue), .text(message.kind.rawValue),
                .text(message.language), .id(sender), .text(message.recipient), .bytes(recipient),
                .flag(message.unsubscribe != nil), content(message.subject), content(message.text),
                content(message.html), message.unsubscribe.map(content) ?? .null, .text(state.name),
                .text(failure?.reason.rawValue), .text(failure?.detail), .time(message.created),
                .time(message.expires), .integer(message.kind.isUrgent ? 0 : 1), .time(message.created),
            ])
    }

    func state(of id: MessageID) throws -> MessageState? {
        try transaction.query("SELECT state, reason, detail FROM message WHERE id = ?", [.id(id)]).first
            .map { try Self.state($0, 0) }
    }

    /// The state in three columns, from `column` on.
    static func state(_ row: SQLRow, _ column: Int) throws -> MessageState {
        switch try row.text(column) {
        case "queued": .queued
        case "sent": .sent
        default:
            .failed(
                MessageFailure(
                    .init(rawValue: try row.optionalText(column + 1) ?? ""), try row.optionalText(column + 2) ?? ""))
        }
    }

    /// The number of messages to a recipient that were not refused when they were added: of those that can be unsubscribed,
    /// or of the others. Messages after `end` were added while the clock was ahead.
    func count(
        to recipient: Data, canUnsubscribe: Bool, since start: Timestamp, until end: Timestamp
    ) throws -> Int {
        try transaction.count(
            """
            SELECT COUNT(*) FROM message
            WHERE recipient_hash = ? AND can_unsubscribe = ? AND created > ? AND created < ?
                AND NOT (state = 'failed' AND attempts = 0)
            """, [.bytes(recipient), .flag(canUnsubscribe), .time(start), .time(end)])
    }

    func isDue(_ channel: OutgoingMessage.Channel, isUrgent: Bool, at now: Timestamp) throws -> Bool {
        try transaction.exists(
            "SELECT id FROM message WHERE \(Self.dueCondition) LIMIT 1", Self.values(channel, isUrgent: isUrgent, now))
    }

    /// A time further ahead than ``DeliveryRules/longestWait`` was stored while the clock was ahead. It counts as past.
    private static let dueCondition = """
        state = 'queued' AND channel = ? AND urgency <= ? AND (due <= ? OR due > ?)
            AND (leased_until <= ? OR leased_until > ?)
        """

    private static func values(
        _ channel: OutgoingMessage.Channel, isUrgent: Bool, _ now: Timestamp
    ) -> [SQLValue] {
        let far = now + DeliveryRules.longestWait
        return [
            .text(channel.rawValue), .integer(isUrgent ? 0 : 1), .time(now), .time(far), .time(now), .time(far),
        ]
    }

    func take(
        _ channel: OutgoingMessage.Channel, isUrgent: Bool, lease: DeliveryLease, at now: Timestamp
    ) throws -> StoredMessage? {
        let found = try transaction.query(
            """
            SELECT id FROM message WHERE \(Self.dueCondition)
            ORDER BY urgency, due, id LIMIT 1\(transaction.dialect.locking("message"))
            """, Self.values(channel, isUrgent: isUrgent, now)
        ).first
        guard let id: MessageID = try found?.id(0) else { return nil }
        let row = try transaction.query(
            """
            UPDATE message SET lease = ?, leased_until = ?, attempts = attempts + 1 WHERE id = ?
            RETURNING channel, kind, language, recipient, subject, body, html, unsubscribe, created, expires, attempts
            """, [.bytes(lease.name), .time(lease.end), .id(id)]
        ).first
        return try row.map { row in
            StoredMessage(
                id: id, channel: channel, kind: MessageKind(rawValue: try row.text(1)) ?? .code,
                language: try row.text(2), recipient: try row.text(3), subject: try row.optionalText(4) ?? "",
                text: try row.optionalText(5) ?? "", html: try row.optionalText(6) ?? "",
                unsubscribe: try row.optionalText(7), created: try row.time(8), expires: try row.time(9),
                attempts: Int(try row.integer(10)))
        }
    }

    func isLeased(_ id: MessageID, _ lease: DeliveryLease) throws -> Bool {
        try transaction.exists(
            "SELECT id FROM message WHERE id = ? AND state = 'queued' AND lease = ?\(transaction.dialect.locking("message"))",
            [.id(id), .bytes(lease.name)])
    }

    func prolong(_ lease: DeliveryLease, of id: MessageID, until end: Timestamp) throws {
        try transaction.execute(
            "UPDATE message SET leased_until = ? WHERE id = ? AND state = 'queued' AND lease = ?",
            [.time(end), .id(id), .bytes(lease.name)])
    }

    /// Lets a message wait, and stores why.
    func postpone(_ id: MessageID, until due: Timestamp, _ detail: String?) throws {
        try transaction.execute(
            "UPDATE message SET due = ?, detail = ?, lease = NULL, leased_until = 0 WHERE id = ?",
            [.time(due), .text(detail), .id(id)])
    }

    /// Ends a message and deletes its content.
    ///
    /// - Returns: Whether the state has changed. A message that has failed stays as it is.
    @discardableResult
    func end(_ id: MessageID, _ state: MessageState) throws -> Bool {
        var failure: MessageFailure?
        if case .failed(let found) = state { failure = found }
        return try transaction.changes(
            """
            UPDATE message SET state = ?, reason = ?, detail = ?, subject = NULL, body = NULL, html = NULL,
                unsubscribe = NULL, lease = NULL, leased_until = 0
            WHERE id = ? AND state <> 'failed' RETURNING id
            """,
            [.text(state.name), .text(failure?.reason.rawValue), .text(failure?.detail), .id(id)])
    }

    /// The kind and sender of a message; nil if it is unknown.
    func origin(of id: MessageID) throws -> (kind: MessageKind, sender: AccountID?)? {
        try transaction.query("SELECT kind, sender FROM message WHERE id = ?", [.id(id)]).first.map { row in
            (MessageKind(rawValue: try row.text(0)) ?? .code, try row.optionalID(1))
        }
    }
}
