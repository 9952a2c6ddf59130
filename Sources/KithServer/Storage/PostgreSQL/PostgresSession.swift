/// What is set in each session, or in each transaction if a pooler shares the sessions.
struct PostgresSession {
    private let settings: PostgresSettings

    init(_ settings: PostgresSettings) {
        self.settings = settings
    }

    /// The statements after a connection was opened.
    var preparation: [String] {
        if settings.isPooled { return [] }
        return parameters.map { "SET \($0) = \($1)" } + [durable(locally: false)]
    }

    /// The statements that begin a transaction.
    func beginning(_ mode: PostgresMode) -> [String] {
        var statements = [mode.beginning]
        if settings.isPooled {
            statements += parameters.map { "SET LOCAL \($0) = \($1)" }
            // A query here would fix the snapshot of a read, which needs no durability.
            if mode != .read { statements.append(durable(locally: true)) }
        }
        if mode == .opening {
            // The driver itself limits how long it waits for an answer.
            statements += ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0"]
        }
        return statements
    }

    /// A query of the number of commits of this role that wait for a replica. Those that wait for a short time are no sign of
    /// a replica that is away. A role sees its own sessions.
    var waitingCommits: String {
        """
        SELECT count(*) FROM pg_catalog.pg_stat_activity
        WHERE usename = current_user AND datname = current_database() AND wait_event = 'SyncRep'
            AND query_start < clock_timestamp() - INTERVAL '\(Self.milliseconds(settings.statementTime)) milliseconds'
        """
    }

    /// How long the driver waits for the answers to statements that it has sent together.
    func answerTime(_ mode: PostgresMode) -> Duration {
        mode == .opening ? settings.openingTime : settings.statementTime + settings.answerTime
    }

    private var parameters: KeyValuePairs<String, String> {
        [
            // A commit that was not replicated is only announced by a warning.
            "client_min_messages": "warning",
            "standard_conforming_strings": "on",
            "statement_timeout": Self.milliseconds(settings.statementTime),
            "lock_timeout": Self.milliseconds(settings.lockTime),
            "idle_in_transaction_session_timeout": Self.milliseconds(settings.idleTime),
        ]
    }

    /// Acknowledged means durable. A stricter setting of the operator, such as `remote_apply`, remains.
    private func durable(locally isLocal: Bool) -> String {
        guard settings.isDurable else { return "SET \(isLocal ? "LOCAL " : "")synchronous_commit = off" }
        let condition = "current_setting('synchronous_commit') = 'off'"
        return "SELECT set_config('synchronous_commit', 'on', \(isLocal)) WHERE \(condition)"
    }

    /// At least one: zero would mean without a limit.
    private static func milliseconds(_ duration: Duration) -> String {
        String(max(1, Int64(duration / .milliseconds(1))))
    }
}
