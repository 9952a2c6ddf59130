/// The tables of the operator: webhooks, and those who may open the operator’s pages.
enum OperatorMigrations {
    /// Webhooks, and the events for them.
    static func webhooks(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `kinds` is a list of words. The requests are signed with `secret`, and until `old_until` also with `old_secret`.
            """
            CREATE TABLE webhook (
                id \(bytes) NOT NULL PRIMARY KEY, url TEXT NOT NULL, programme TEXT, kinds TEXT NOT NULL,
                secret \(bytes) NOT NULL, old_secret \(bytes), old_until BIGINT, state TEXT NOT NULL,
                created BIGINT NOT NULL, failures BIGINT NOT NULL, failing_since BIGINT, rests_until BIGINT,
                dropped BIGINT NOT NULL, detail TEXT
            )\(clustered)
            """,
            """
            CREATE TABLE webhook_delivery (
                id \(bytes) NOT NULL PRIMARY KEY, webhook \(bytes) NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
                state TEXT NOT NULL, attempts BIGINT NOT NULL, created BIGINT NOT NULL, due BIGINT NOT NULL,
                ended BIGINT, lease \(bytes), leased_until BIGINT NOT NULL, status BIGINT, detail TEXT
            )\(clustered)
            """,
            "CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook, state, due)",
            "CREATE INDEX webhook_delivery_created ON webhook_delivery (created)",
        ]
    }

    /// The operators who may open the operator's pages, and their sessions.
    static func operators(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `password` is a hash with its salt. `changed` is when the password was made.
            """
            CREATE TABLE operator (
                name TEXT NOT NULL PRIMARY KEY, password TEXT NOT NULL, created BIGINT NOT NULL, changed BIGINT NOT NULL
            )\(clustered)
            """,
            // `hash` is that of the token in the cookie.
            """
            CREATE TABLE operator_session (
                hash \(bytes) NOT NULL PRIMARY KEY, operator TEXT NOT NULL, created BIGINT NOT NULL, expires BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX operator_session_operator ON operator_session (operator, created)",
            "CREATE INDEX operator_session_expires ON operator_session (expires)",
        ]
    }
}
