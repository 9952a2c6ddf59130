extension Migrations {
    /// What a network of people needs beside the records of their feeds.
    static func network(_ dialect: Dialect) -> [String] {
        [
            // The operator says which accounts are programs.
            "ALTER TABLE account ADD COLUMN is_bot BIGINT NOT NULL DEFAULT 0",
            // Who has a person among their contacts.
            "CREATE INDEX record_contact ON record (id, feed) WHERE collection = 'contact'",
            // What is still to be told of an account to those who have it: see `ProfileFanout`. `after` is the last that was told.
            """
            CREATE TABLE reach (
                account \(dialect.bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, queued BIGINT NOT NULL,
                after \(dialect.bytes) NOT NULL, again BIGINT NOT NULL
            )\(dialect.clustered)
            """,
        ]
    }

    /// Lists show the names in people's profiles. Everybody who has a profile already is told of once.
    static let memberNames = [
        """
        INSERT INTO reach (account, kind, queued, after, again)
        SELECT feed, 'profile', 0, X'', 0 FROM record WHERE collection = 'profile' AND deleted = 0
        ON CONFLICT (account) DO NOTHING
        """
    ]

    /// Requests that wait for an answer are counted apart. Some may wait already.
    static let waiting = [
        "ALTER TABLE feed ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0",
        """
        UPDATE feed SET waiting = (
            SELECT COUNT(*) FROM record WHERE record.feed = feed.id AND collection = 'contact' AND deleted = 0
                AND fields LIKE '%"asked":%' AND fields NOT LIKE '%"isBlocked":true%'
                AND (fields NOT LIKE '%"wish":%' OR fields LIKE '%"wish":"none"%')
        ) WHERE kind = 'account'
        """,
    ]
}
