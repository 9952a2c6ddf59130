extension Migrations {
    /// Who can be found by which number or email, and what the oblivious function makes of it.
    static func discovery(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE identity (
                value TEXT NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX identity_account ON identity (account)",
            // Accounts that do not want to be found.
            "CREATE TABLE hidden (account \(bytes) NOT NULL PRIMARY KEY)\(clustered)",
            // Each key has a sequence of its own. Until `current_since` it is being made ready: up to `reached`, in the
            // order of the identities. `horizon` is the newest sequence of a purged entry.
            """
            CREATE TABLE discovery_key (
                id TEXT NOT NULL PRIMARY KEY, current_since BIGINT, ends BIGINT, sequence BIGINT NOT NULL,
                horizon BIGINT NOT NULL, reached TEXT NOT NULL
            )\(clustered)
            """,
            // Not by the identity: of one that is gone for good nothing is kept but what says so to those who know it.
            // One whose account does not want to be found is gone too, and keeps its account.
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
            // How much of something an account has asked for on a day, counted from 1970.
            """
            CREATE TABLE usage (
                account \(bytes) NOT NULL, kind TEXT NOT NULL, day BIGINT NOT NULL, amount BIGINT NOT NULL,
                PRIMARY KEY (account, kind, day)
            )\(clustered)
            """,
            "CREATE INDEX usage_day ON usage (day)",
        ]
    }

    /// All that a node's table takes of an evaluation is in the index, in the order in which it is read: the rows
    /// themselves lie by their prefixes, so that each would be another page.
    static let evaluationOrder = [
        "DROP INDEX evaluation_sequence",
        "CREATE INDEX evaluation_sequence ON evaluation (discovery_key, sequence, gone, masked, prefix, tag)",
    ]
}
