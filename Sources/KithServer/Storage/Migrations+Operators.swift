extension Migrations {
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
