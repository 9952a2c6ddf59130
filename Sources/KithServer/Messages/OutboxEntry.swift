package import KithModel

/// A message as the operator sees it, without its content.
package struct OutboxEntry: Hashable, Sendable {
    package let id: MessageID
    package let channel: OutgoingMessage.Channel
    package let kind: MessageKind
    package let language: String
    package let recipient: String
    package let state: MessageState
    /// The number of attempts so far.
    package let attempts: Int
    package let created: Timestamp
    /// The time of the next attempt; nil if there is none.
    package let due: Timestamp?
    /// Why the last attempt has not succeeded, if there is a next one; nil if nothing is known.
    package let delay: String?

    /// The newest messages, newest first; at most `limit`.
    ///
    /// - Parameters:
    ///   - limit: The number of them.
    ///   - state: Only those with the state of this name; nil for all.
    ///   - transaction: The transaction.
    /// - Returns: The messages.
    /// - Throws: ``ServerError`` if the database fails.
    package static func newest(
        _ limit: Int, state: String? = nil, in transaction: any Transaction
    ) throws -> [OutboxEntry] {
        let values = state.map { [SQLValue.text($0)] } ?? []
        return try transaction.query(
            "\(columns) \(state == nil ? "" : "WHERE state = ?") ORDER BY created DESC, id DESC LIMIT ?",
            values + [.integer(Int64(limit))]
        ).map { try OutboxEntry($0) }
    }

    /// The message with this id; nil if it is unknown.
    package static func find(_ id: MessageID, in transaction: any Transaction) throws -> OutboxEntry? {
        try transaction.query("\(columns) WHERE id = ?", [.id(id)]).first.map { try OutboxEntry($0) }
    }

    /// The number of messages in each state.
    package static func counts(in transaction: any Transaction) throws -> [String: Int] {
        let rows = try transaction.query("SELECT state, COUNT(*) FROM message GROUP BY state")
        let counts = Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.text(0), Int(try $0.integer(1))) })
        return ["queued": 0, "sent": 0, "failed": 0].merging(counts) { $1 }
    }

    /// The text of a queued message; nil if it was deleted, because the message was sent or has failed.
    package static func text(of id: MessageID, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT body FROM message WHERE id = ?", [.id(id)]).first?.optionalText(0)
    }

    private static let columns = """
        SELECT id, channel, kind, language, recipient, state, reason, detail, attempts, created, due FROM message
        """

    private init(_ row: SQLRow) throws {
        id = try row.id(0)
        channel = OutgoingMessage.Channel(rawValue: try row.text(1)) ?? .email
        kind = MessageKind(rawValue: try row.text(2)) ?? .code
        language = try row.text(3)
        recipient = try row.text(4)
        state = try MessageTable.state(row, 5)
        attempts = Int(try row.integer(8))
        created = try row.time(9)
        due = state == .queued ? try row.time(10) : nil
        delay = state == .queued ? try row.optionalText(7) : nil
    }
}
