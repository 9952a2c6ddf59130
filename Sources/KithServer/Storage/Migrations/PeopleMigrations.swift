/// The tables of the network of people.
enum PeopleMigrations {
    /// The data of the network of people that is not in records.
    static func network(_ dialect: Dialect) -> [String] {
        [
            // The operator marks accounts of programs.
            "ALTER TABLE account ADD COLUMN is_bot BIGINT NOT NULL DEFAULT 0",
            // Finds the people who have an account among their contacts.
            "CREATE INDEX record_contact ON record (id, feed) WHERE collection = 'contact'",
            // The accounts whose change must still be propagated to other people: see `ProfileFanout`. `after` is the
            // last processed feed.
            """
            CREATE TABLE reach (
                account \(dialect.bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, queued BIGINT NOT NULL,
                after \(dialect.bytes) NOT NULL, again BIGINT NOT NULL
            )\(dialect.clustered)
            """,
        ]
    }

    /// The pictures that people sent of themselves. The rows are stored in the order of their arrival, because they
    /// are large.
    static func pictures(_ dialect: Dialect) -> [String] {
        [
            // `is_named` says whether the account's profile names the picture. Other pictures are deleted after some
            // time.
            """
            CREATE TABLE picture (
                account \(dialect.bytes) NOT NULL, hash \(dialect.bytes) NOT NULL, type TEXT NOT NULL,
                size BIGINT NOT NULL, created BIGINT NOT NULL, is_named BIGINT NOT NULL, bytes \(dialect.bytes) NOT NULL,
                PRIMARY KEY (account, hash)
            )
            """,
            "CREATE INDEX picture_unnamed ON picture (created) WHERE is_named = 0",
        ]
    }

    /// The words of the names by which people can be found. The words are bytes, because their order is the same in
    /// every database, and a search reads a range of words.
    static func directory(_ dialect: Dialect) -> [String] {
        [
            """
            CREATE TABLE directory (
                word \(dialect.bytes) NOT NULL, account \(dialect.bytes) NOT NULL, PRIMARY KEY (word, account)
            )\(dialect.clustered)
            """,
            "CREATE INDEX directory_account ON directory (account, word)",
        ]
    }

    /// When an account was last seen online; null if it never was.
    static let presence = ["ALTER TABLE account ADD COLUMN seen_at BIGINT"]

    /// The number of requests that wait for an answer, computed for existing feeds.
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

    /// Lists show the names of people's profiles. Each existing profile is propagated once.
    static func memberNames(_ dialect: Dialect) -> [String] {
        [
            """
            INSERT INTO reach (account, kind, queued, after, again)
            SELECT feed, 'profile', 0, CAST('' AS \(dialect.bytes)), 0 FROM record
            WHERE collection = 'profile' AND deleted = 0
            ON CONFLICT (account) DO NOTHING
            """
        ]
    }
}
