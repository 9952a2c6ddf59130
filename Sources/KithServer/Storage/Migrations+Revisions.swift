extension Migrations {
    /// The revisions, by which a round finds what has changed since a token without a position for each feed.
    ///
    /// Everything that exists has the first revision, 1. A column with a constant default rewrites no rows.
    static func revisions(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            "CREATE TABLE revision (name TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL)\(clustered)",
            "INSERT INTO revision (name, number) VALUES ('feeds', 1)",
            "ALTER TABLE feed ADD COLUMN revision BIGINT NOT NULL DEFAULT 1",
            "ALTER TABLE feed ADD COLUMN horizon_revision BIGINT NOT NULL DEFAULT 1",
            "CREATE INDEX feed_revision ON feed (revision)",
            "ALTER TABLE record ADD COLUMN revision BIGINT NOT NULL DEFAULT 1",
            // `revision` is when the account was last granted access.
            "ALTER TABLE access ADD COLUMN revision BIGINT NOT NULL DEFAULT 1",
            // The lists that an account could read once, and when it last lost them. A row is kept as long as the account,
            // because a device may have been away for any time.
            """
            CREATE TABLE lost_access (
                account \(bytes) NOT NULL, feed \(bytes) NOT NULL, revision BIGINT NOT NULL, PRIMARY KEY (account, feed)
            )\(clustered)
            """,
            "CREATE INDEX lost_access_revision ON lost_access (account, revision)",
        ]
    }
}
