/// The tables that the nodes of one database share.
enum NodeMigrations {
    /// The nodes, who is online at each, the signals that are found in no other table, and the rates of callers.
    static func nodes(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            // `beat` counts the heartbeats. Other nodes see whether it rises, so no clocks are compared. `changes`
            // counts the transactions that have changed the node's rows of `presence`.
            """
            CREATE TABLE node (
                id TEXT NOT NULL PRIMARY KEY, beat BIGINT NOT NULL, beaten_at BIGINT NOT NULL, changes BIGINT NOT NULL
            )\(clustered)
            """,
            """
            CREATE TABLE presence (
                account \(bytes) NOT NULL, node TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (account, node)
            )\(clustered)
            """,
            "CREATE INDEX presence_node ON presence (node, account)",
            // The numbers are in the order of the commits, because each is taken from a row that stays locked.
            """
            CREATE TABLE signal (
                number BIGINT NOT NULL PRIMARY KEY, notice TEXT NOT NULL, written_at BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX signal_written ON signal (written_at)",
            "INSERT INTO revision (name, number) VALUES ('signals', 0)",
            // When the bucket of each caller is full, by the clock of the database.
            """
            CREATE \(dialect.unlogged)TABLE rate_use (
                kind TEXT NOT NULL, caller \(bytes) NOT NULL, full_at BIGINT NOT NULL, PRIMARY KEY (kind, caller)
            )\(clustered)
            """,
            "CREATE INDEX rate_use_full ON rate_use (full_at)",
        ]
    }
}
