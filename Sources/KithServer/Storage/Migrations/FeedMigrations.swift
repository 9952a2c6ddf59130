/// What later versions have added to the tables of feeds, records and lists.
enum FeedMigrations {
    /// The bytes of the fields of each feed's records, computed for existing feeds.
    static func bytesOfFeeds(_ dialect: Dialect) -> [String] {
        [
            "ALTER TABLE feed ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0",
            """
            UPDATE feed SET bytes = (
                SELECT COALESCE(SUM(\(dialect.byteCount(of: "fields"))), 0) FROM record
                WHERE record.feed = feed.id AND deleted = 0
            )
            """,
        ]
    }

    /// The people that the owners of lists have removed. They cannot join with an invitation.
    static func removedPeople(_ dialect: Dialect) -> [String] {
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

    /// Public links with which people tick, and the gifts of wish lists.
    static func gifts(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            "ALTER TABLE link ADD COLUMN can_tick BIGINT NOT NULL DEFAULT 0",
            // `giver` is a hash. No record, feed or account refers to a row.
            """
            CREATE TABLE gift (
                list \(bytes) NOT NULL, item \(bytes) NOT NULL, giver \(bytes) NOT NULL, made BIGINT NOT NULL,
                PRIMARY KEY (list, item)
            )\(clustered)
            """,
        ]
    }

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

    /// The live records of a feed in the order of their ids. A page reads them without the tombstones in between.
    static let liveRecords = ["CREATE INDEX record_live ON record (feed, id) WHERE deleted = 0"]

    /// A table of the deleted records, so that the live records of a feed are next to each other.
    ///
    /// The index of tombstones finds the rows to move, so the step takes as long as there are tombstones. The column
    /// `record.deleted` stays and is 0 in every row, because SQLite would rewrite all records to drop it.
    static func tombstones(_ dialect: Dialect) -> [String] {
        let bytes = dialect.bytes
        return [
            """
            CREATE TABLE tombstone (
                feed \(bytes) NOT NULL, id \(bytes) NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
                modified BIGINT NOT NULL, revision BIGINT NOT NULL, PRIMARY KEY (feed, id)
            )\(dialect.clustered)
            """,
            """
            INSERT INTO tombstone (feed, id, collection, sequence, modified, revision)
            SELECT feed, id, collection, sequence, modified, revision FROM record WHERE deleted = 1
            """,
            "CREATE INDEX tombstone_sequence ON tombstone (feed, sequence)",
            "CREATE INDEX tombstone_modified ON tombstone (modified)",
            "DELETE FROM record WHERE deleted = 1",
            "DROP INDEX record_live",
            "DROP INDEX record_tombstone",
        ]
    }

    /// The day when mutations were last taken from a device. It is indexed instead of the time, which each push changes.
    static let takenDays = [
        "ALTER TABLE device ADD COLUMN taken_day BIGINT",
        "UPDATE device SET taken_day = taken_at / 86400000 WHERE taken_at IS NOT NULL",
        "DROP INDEX device_taken_at",
        "CREATE INDEX device_taken_day ON device (taken_day) WHERE taken_day IS NOT NULL",
    ]

    /// An index of the owners of lists, and the storage of each owner in blocks of 64 KiB, computed for existing feeds.
    static func storage(_ dialect: Dialect) -> [String] {
        let (bytes, clustered) = (dialect.bytes, dialect.clustered)
        return [
            "CREATE INDEX access_owner ON access (feed) WHERE role = 'owner'",
            "CREATE TABLE storage (account \(bytes) NOT NULL PRIMARY KEY, blocks BIGINT NOT NULL)\(clustered)",
            """
            INSERT INTO storage (account, blocks)
            SELECT access.account, CAST(SUM((feed.bytes + 65535) / 65536) AS BIGINT)
            FROM access CROSS JOIN feed WHERE access.role = 'owner' AND feed.id = access.feed
            GROUP BY access.account
            """,
        ]
    }
}
