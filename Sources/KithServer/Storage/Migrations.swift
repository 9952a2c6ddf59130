import KithModel

/// The tables, as a list of migration steps. A released step is never changed; changes are new steps.
enum Migrations {
    /// Brings the database to this program's version.
    ///
    /// - Throws: ``ServerError`` if a newer program has written the database. The data is then left unchanged.
    static func run(in transaction: any Transaction) throws {
        try transaction.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        let steps = steps(transaction.dialect)
        let done = Int(try Meta.value(Meta.versionName, in: transaction) ?? "0") ?? 0
        guard done <= steps.count else {
            throw ServerError(
                .busy,
                "The database is of version \(done), this program knows \(steps.count). Start the newer program again.")
        }
        for statement in steps[done...].joined() { try transaction.execute(statement) }
        try Meta.set(Meta.versionName, to: String(steps.count), in: transaction)
    }

    /// Whether the database is of this program's version.
    static func isCurrent(in transaction: any Transaction) throws -> Bool {
        let done = try Meta.value(Meta.versionName, in: transaction).flatMap { Int($0) }
        return done == steps(transaction.dialect).count
    }

    private static func steps(_ dialect: Dialect) -> [[String]] {
        [first(dialect), second, third(dialect), fourth, bytesOfFeeds(dialect), memberNames, removedPeople(dialect)]
    }

    /// People: their network, their pictures, the directory, and when they were last seen; private discovery, and daily
    /// quotas.
    private static func third(_ dialect: Dialect) -> [String] {
        network(dialect) + pictures(dialect) + directory(dialect) + presence + discovery(dialect)
    }

    /// Requests that wait are counted, and who has joined is read from an index alone.
    private static let fourth = waiting + evaluationOrder

    /// People that lists' owners have removed: no invitation lets them in.
    private static func removedPeople(_ dialect: Dialect) -> [String] {
        [
            """
            CREATE TABLE removed (
                list \(dialect.bytes) NOT NULL, account \(dialect.bytes) NOT NULL, name TEXT, since BIGINT NOT NULL,
                PRIMARY KEY (list, account)
            )\(dialect.clustered)
            """,
            "CREATE INDEX removed_account ON removed (account)",
        ]
    }

    /// When something was last taken from a device; null once nothing more is to be forgotten of it.
    private static let second = [
        "ALTER TABLE device ADD COLUMN taken_at BIGINT",
        "CREATE INDEX device_taken_at ON device (taken_at) WHERE taken_at IS NOT NULL",
    ]

    /// Times are milliseconds since 1970; identities sixteen bytes; flags 0 or 1.
    private static func first(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            """
            CREATE TABLE account (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            """
            CREATE TABLE session (
                token_hash \(bytes) NOT NULL PRIMARY KEY, account \(bytes) NOT NULL, created BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX session_account ON session (account)",
            // Of which numbers `taken` remembers what became of them, `last` is the highest.
            """
            CREATE TABLE device (
                account \(bytes) NOT NULL, id \(bytes) NOT NULL, last BIGINT NOT NULL, PRIMARY KEY (account, id)
            )\(clustered)
            """,
            """
            CREATE TABLE taken (
                account \(bytes) NOT NULL, device \(bytes) NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
                result TEXT NOT NULL, code TEXT, detail TEXT, PRIMARY KEY (account, device, number)
            )\(clustered)
            """,
            // `live` counts the records that are not deleted; `horizon` is the newest sequence of a purged tombstone.
            """
            CREATE TABLE feed (
                id \(bytes) NOT NULL PRIMARY KEY, kind TEXT NOT NULL, sequence BIGINT NOT NULL, digest BIGINT NOT NULL,
                live BIGINT NOT NULL, written_at BIGINT NOT NULL, horizon BIGINT NOT NULL, closed BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX feed_closed ON feed (written_at) WHERE closed = 1 AND live > 0",
            """
            CREATE TABLE record (
                feed \(bytes) NOT NULL, id \(bytes) NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
                modified BIGINT NOT NULL, fields TEXT NOT NULL, stamps TEXT NOT NULL, deleted BIGINT NOT NULL,
                PRIMARY KEY (feed, id)
            )\(clustered)
            """,
            "CREATE INDEX record_sequence ON record (feed, sequence)",
            "CREATE INDEX record_tombstone ON record (modified) WHERE deleted = 1",
            """
            CREATE TABLE access (
                account \(bytes) NOT NULL, feed \(bytes) NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, feed)
            )\(clustered)
            """,
            "CREATE INDEX access_feed ON access (feed)",
            """
            CREATE TABLE link (
                id \(bytes) NOT NULL PRIMARY KEY, list \(bytes) NOT NULL, hash \(bytes) NOT NULL UNIQUE,
                role TEXT NOT NULL, is_public BIGINT NOT NULL, created BIGINT NOT NULL, expires BIGINT,
                accepted BIGINT NOT NULL, revoked BIGINT NOT NULL
            )\(clustered)
            """,
            "CREATE INDEX link_list ON link (list)",
            "CREATE INDEX link_expires ON link (expires)",
        ]
    }
}

/// Facts about the database as a whole.
enum Meta {
    static let versionName = "version"
    static let epochName = "epoch"
    static let incarnationName = "incarnation"
    static let serverName = "server"

    static func value(_ name: String, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT value FROM meta WHERE name = ?", [.text(name)]).first?.text(0)
    }

    static func epoch(in transaction: any Transaction) throws -> String {
        try value(epochName, in: transaction) ?? ""
    }

    static func server(in transaction: any Transaction) throws -> ServerID? {
        try value(serverName, in: transaction).flatMap { ServerID($0) }
    }

    /// The server's id. It is created and stored if there is none yet.
    static func settleServer(
        at now: Timestamp, _ random: @escaping @Sendable () -> [UInt8], in transaction: any Transaction
    ) throws -> ServerID {
        if let server = try server(in: transaction) { return server }
        var generator = ByteRandomness(random)
        let server = ServerID(.version7(time: now, using: &generator))
        try set(serverName, to: server.description, in: transaction)
        return server
    }

    static func set(_ name: String, to value: String, in transaction: any Transaction) throws {
        try transaction.insert(into: "meta", ["name", "value"], [[.text(name), .text(value)]], replacing: ["name"])
    }
}

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
