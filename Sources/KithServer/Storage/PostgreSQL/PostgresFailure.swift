import KithModel

/// An error of PostgreSQL, without the statement and the values in it, which must not be logged.
package struct PostgresFailure: DatabaseFailure, Hashable, CustomStringConvertible {
    /// What the driver does about a failure.
    package enum Remedy: Hashable, Sendable {
        /// Runs the whole transaction again.
        case again
        /// Runs the whole transaction again on a new connection.
        case againElsewhere
        /// Closes the connection, and reports the failure.
        case reconnect
        /// Reports the failure.
        case none
    }

    /// The SQLSTATE; `08006` if the connection was lost without one.
    package let state: String
    /// PostgreSQL's own words, with the name of the violated constraint.
    package let words: String
    /// Whether the connection has ended.
    package let isConnectionLost: Bool
    /// Whether it is PostgreSQL's own answer to a statement, so that nothing after that statement was run. A connection
    /// that has ended says nothing about what was run, and neither does the error that a pooler sends in its place, with
    /// any SQLSTATE. Only the errors of PostgreSQL name a function of its source.
    let isAnswer: Bool
    /// How long to wait before the next attempt; nil if the rule for this failure decides.
    private var retryAfter: Duration?

    /// The SQLSTATE of a lost connection.
    private static let lostConnection = "08006"
    /// The SQLSTATE of a write to a server that accepts none.
    private static let readOnly = "25006"
    /// While commits wait for a replica.
    private static let waitsForReplica = "KR001"
    /// The SQLSTATE of a full disk.
    private static let fullDisk = "53100"

    /// A connection that was lost, or cannot be used.
    package init(lost words: String) {
        state = Self.lostConnection
        self.words = words
        isConnectionLost = true
        isAnswer = false
        retryAfter = nil
    }

    /// A connection that cannot be opened. libpq tells no SQLSTATE. Its own words, which are not translated here, say that a
    /// server accepts no writes.
    package init(unopened words: String) {
        let isReadOnly = words.contains("session is read-only") || words.contains("server is in hot standby mode")
        state = isReadOnly ? Self.readOnly : Self.lostConnection
        self.words = words
        isConnectionLost = true
        isAnswer = false
        retryAfter = nil
    }

    /// So many commits wait for a replica that a further one would wait, too. The SQLSTATE is not one of PostgreSQL.
    init(waiting commits: Int64) {
        self.init(state: Self.waitsForReplica, words: "Commits wait for a synchronous replica: \(commits)")
    }

    /// The failure of a transaction that has no connection, because this one happened, and the next attempt is after `wait`.
    func beforeAttempt(after wait: Duration) -> PostgresFailure {
        var failure = self
        failure.retryAfter = max(.seconds(1), wait)
        return failure
    }

    package init(state: String, words: String, isConnectionLost: Bool = false) {
        self.state = state
        self.words = words
        self.isConnectionLost = isConnectionLost
        isAnswer = false
        retryAfter = nil
    }

    /// The error in an answer. The primary message has no values of the statement; the detail has.
    init(_ result: OpaquePointer) {
        let message = PostgresField.message.text(in: result) ?? "no message"
        let constraint = PostgresField.constraint.text(in: result).map { " (\($0))" } ?? ""
        state = PostgresField.state.text(in: result) ?? Self.lostConnection
        words = message + constraint
        isConnectionLost =
            state == Self.lostConnection
            || ["FATAL", "PANIC"].contains(PostgresField.severity.text(in: result))
        isAnswer = PostgresField.function.text(in: result) != nil
        retryAfter = nil
    }

    package var description: String { "PostgreSQL \(state): \(words)" }

    package var kind: DatabaseFailureKind {
        if state == Self.fullDisk { return .fullDisk(isReachable: !isConnectionLost) }
        if isConnectionLost { return .unreachable(isLasting: rule.isLasting) }
        return rule.isLasting ? .unwritable : .passing
    }

    /// What the driver does about it.
    package var remedy: Remedy { isConnectionLost ? .reconnect : rule.remedy }

    // MARK: Rules

    private struct Rule {
        /// SQLSTATEs, or their beginnings.
        let states: [String]
        var remedy = Remedy.none
        /// The sentence for people; nil if the failure is a fault of the program.
        var sentence: String?
        var seconds: Int64 = 1
        /// Whether writes fail until the cause is fixed.
        var isLasting = false
    }

    private static let unreachable = "The database cannot be reached. Nothing was changed; try again later."

    /// The first rule with the SQLSTATE applies.
    private static let rules = [
        Rule(
            states: ["40001", "40P01"], remedy: .again,
            sentence: "Others are changing the same data. Nothing was changed; try again soon."),
        // Two writers have created the same row. The second finds it when it starts again.
        Rule(states: ["23505"], remedy: .again),
        // A plan of a prepared statement from before a migration.
        Rule(states: ["0A000"], remedy: .againElsewhere),
        // A prepared statement of another session, or of none.
        Rule(
            states: ["26000", "42P05"], remedy: .againElsewhere,
            sentence: "A pooler shares sessions of PostgreSQL, but the setting database-pooler is off. "
                + "Nothing was changed; try again later.",
            seconds: 30, isLasting: true),
        Rule(states: ["55P03"], sentence: "The database is locked. Nothing was changed; try again soon."),
        Rule(states: ["57014"], sentence: "The database took too long. Nothing was changed; try again soon."),
        Rule(
            states: [fullDisk], sentence: "The database's disk is full. Nothing was changed; try again later.",
            seconds: 60, isLasting: true),
        Rule(
            states: [waitsForReplica],
            sentence: "The database waits for its replica. Nothing was changed; try again later.", seconds: 5,
            isLasting: true),
        // Of memory, for example. A connection that is refused because there are too many has no SQLSTATE: libpq does
        // not tell it.
        Rule(
            states: ["53"], remedy: .reconnect,
            sentence: "The database has reached a limit. Nothing was changed; try again soon.", seconds: 5),
        // The old primary after a failover, or a protection of the operator. Most failovers and restarts are short, and
        // devices lengthen their pauses themselves.
        Rule(
            states: [readOnly], remedy: .reconnect,
            sentence: "The database is read-only for now. Nothing was changed; try again later.", isLasting: true),
        Rule(states: ["08", "57P", "25P03"], remedy: .reconnect, sentence: unreachable, isLasting: true),
        Rule(
            states: ["28", "3D", "58", "F0", "XX001", "XX002"], remedy: .reconnect, sentence: unreachable, seconds: 30,
            isLasting: true),
    ]

    private var rule: Rule {
        Self.rules.first { $0.states.contains { state.hasPrefix($0) } } ?? Rule(states: [])
    }

    /// The error for the caller.
    var serverError: ServerError {
        let rule = rule
        guard let sentence = isConnectionLost ? rule.sentence ?? Self.unreachable : rule.sentence else {
            return ServerError(.internalError, "The database refused a statement.", cause: self)
        }
        return ServerError(.busy, sentence, retryAfter: retryAfter ?? .seconds(rule.seconds), cause: self)
    }
}
