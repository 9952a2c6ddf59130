extension Migrations {
    /// Pictures that people sent of themselves. Their bytes are large: the rows lie in the order of their coming.
    static func pictures(_ dialect: Dialect) -> [String] {
        [
            // `is_named` says whether the account's profile shows it; what no profile shows goes after a while.
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

    /// The words of the names by which people let themselves be found. They are bytes, whose order is the same in
    /// every database: a search is for all words from one to another.
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
}
