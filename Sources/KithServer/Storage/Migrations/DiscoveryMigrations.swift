/// The tables of private discovery.
enum DiscoveryMigrations {
    /// The phone numbers and emails by which accounts can be found, and the outputs of the oblivious function for them.
    static func discovery(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE identity (
                value TEXT NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX identity_account ON identity (account)",
            // The accounts that do not want to be found.
            "CREATE TABLE hidden (account \(bytes) NOT NULL PRIMARY KEY)\(clustered)",
            // Each key has its own sequence. Until `current_since`, the key is being prepared: identities are
            // evaluated in order, and `reached` is the last one. `horizon` is the newest sequence of a purged entry.
            """
            CREATE TABLE discovery_key (
                id TEXT NOT NULL PRIMARY KEY, current_since BIGINT, ends BIGINT, sequence BIGINT NOT NULL,
                horizon BIGINT NOT NULL, reached TEXT NOT NULL
            )\(clustered)
            """,
            // The rows do not contain the identity. For a deleted identity, only the removal is kept, for devices
            // that have stored the entry. If an account does not want to be found, its rows count as removed but keep
            // the account.
            """
            CREATE TABLE evaluation (
                discovery_key TEXT NOT NULL, prefix BIGINT NOT NULL, tag BIGINT NOT NULL, account \(bytes),
                masked \(bytes) NOT NULL, sequence BIGINT NOT NULL, changed BIGINT NOT NULL, gone BIGINT NOT NULL,
                PRIMARY KEY (discovery_key, prefix, tag)
            )\(clustered)
            """,
            "CREATE INDEX evaluation_account ON evaluation (account) WHERE account IS NOT NULL",
            "CREATE INDEX evaluation_sequence ON evaluation (discovery_key, sequence)",
            "CREATE INDEX evaluation_gone ON evaluation (changed) WHERE gone = 1 AND account IS NULL",
            // The use of a daily quota by an account. Days are counted from 1970.
            """
            CREATE TABLE usage (
                account \(bytes) NOT NULL, kind TEXT NOT NULL, day BIGINT NOT NULL, amount BIGINT NOT NULL,
                PRIMARY KEY (account, kind, day)
            )\(clustered)
            """,
            "CREATE INDEX usage_day ON usage (day)",
        ]
    }

    /// The index contains all columns of an evaluation that a table of buckets needs, in the order in which they are
    /// read. The rows are stored in the order of their prefixes, so reading them by sequence would read a page for
    /// each row.
    static let evaluationOrder = [
        "DROP INDEX evaluation_sequence",
        "CREATE INDEX evaluation_sequence ON evaluation (discovery_key, sequence, gone, masked, prefix, tag)",
    ]
}
