import KithModel

/// The tables, as a list of steps. A step that has been released is never changed; the next one follows it.
enum Migrations {
    /// Brings the database to this program's version.
    ///
    /// - Throws: ``ServerError`` if a newer program has been here: its data is not understood, and left alone.
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

    /// People whom lists' owners have removed: no invitation lets them in.
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

/// The few facts about the database as a whole.
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

    /// The server's id, which is made and written down if there is none yet.
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
