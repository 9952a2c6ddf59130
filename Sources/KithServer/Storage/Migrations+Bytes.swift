extension Migrations {
    /// How many bytes the fields of a feed's records take, counted for feeds that are there.
    static func bytesOfFeeds(_ dialect: Dialect) -> [String] {
        [
            "ALTER TABLE feed ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0",
            """
            UPDATE feed SET bytes = (
                SELECT COALESCE(SUM(LENGTH(CAST(fields AS \(dialect.bytes)))), 0) FROM record
                WHERE record.feed = feed.id AND deleted = 0
            )
            """,
        ]
    }
}
