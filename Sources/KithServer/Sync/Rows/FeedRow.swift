package import KithModel

/// A feed as the database stores it: its counter, and aggregates over its records.
package struct FeedRow: Hashable, Sendable {
    /// The kind of owner of the feed.
    package typealias Kind = Schema.Home

    package let id: FeedID
    package let kind: Kind
    /// The sequence of the newest change.
    package var sequence: Int64 = 0
    /// The digest of the live records.
    package var digest = FeedDigest()
    /// The number of records that are not deleted.
    package var live: Int64 = 0
    /// The number of these records that are connection requests waiting for the owner's answer.
    package var waiting: Int64 = 0
    /// The number of bytes of the fields of its records.
    package var bytes: Int64 = 0
    /// The server's time of the last write. The time of a later write is never earlier.
    package var writtenAt: Timestamp
    /// The newest sequence of a purged tombstone. A replica that has read less must reread the feed.
    package var horizon: Int64 = 0
    /// Whether the list was deleted. Nobody has access to a deleted list.
    package var isClosed = false
    /// The revision of the newest change of its records, or of the accounts that can read it.
    package var revision = Revision.first
    /// The newest revision of a purged tombstone. A replica that has read less must reread the feed.
    package var horizonRevision = Revision.zero

    package init(id: FeedID, kind: Kind, writtenAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.writtenAt = writtenAt
    }

    /// The number of records that the owner has created or accepted. Requests of others do not count, so they cannot
    /// fill a network.
    var settled: Int64 { live - waiting }

    /// Resets the counts after the records have been removed.
    mutating func empty() {
        (live, waiting, bytes, digest) = (0, 0, 0, FeedDigest())
    }

    /// ``columns`` of the table `feed`, for a query.
    static let selection = columns.map { "feed.\($0)" }.joined(separator: ", ")

    /// The columns, as ``init(_:)`` reads them.
    static let columns = [
        "id", "kind", "sequence", "digest", "live", "written_at", "horizon", "closed", "waiting", "bytes",
        "revision", "horizon_revision",
    ]

    private static let insertion = RowStatement(insertInto: "feed", columns)
    private static let replacement = RowStatement(insertInto: "feed", columns, replacing: ["id"])
    private static let reading = RowStatement(
        wanted: ["id"], "SELECT \(selection) FROM wanted CROSS JOIN feed WHERE feed.id = wanted.id")

    /// Reads a row of ``columns``.
    init(_ row: SQLRow) throws {
        self.init(id: try row.id(0), kind: try Self.kind(try row.text(1)), writtenAt: try row.time(5))
        sequence = try row.integer(2)
        digest = FeedDigest(bits: UInt64(bitPattern: try row.integer(3)))
        live = try row.integer(4)
        horizon = try row.integer(6)
        isClosed = try row.flag(7)
        waiting = try row.integer(8)
        bytes = try row.integer(9)
        revision = try row.revision(10)
        horizonRevision = try row.revision(11)
    }

    private var values: [SQLValue] {
        [
            .id(id), .text(kind == .list ? "list" : "account"), .integer(sequence),
            .integer(Int64(bitPattern: digest.bits)), .integer(live), .time(writtenAt), .integer(horizon),
            .flag(isClosed), .integer(waiting), .integer(bytes), .revision(revision), .revision(horizonRevision),
        ]
    }

    private static func kind(_ text: String) throws -> Kind {
        switch text {
        case "list": .list
        case "account": .account
        default: throw ServerError(.internalError, "A stored feed is of an unknown kind.")
        }
    }

    /// The feeds of `ids`, locked in the order of their ids, so that two writers never wait for each other.
    package static func lock(_ ids: Set<FeedID>, in transaction: any Transaction) throws -> [FeedRow] {
        try askLocked(ids, in: transaction).value()
    }

    /// Locks the feeds as ``lock(_:in:)`` does, and asks for them.
    static func askLocked(_ ids: Set<FeedID>, in transaction: any Transaction) throws -> Pending<[FeedRow]> {
        try lockRows(ids, in: transaction)
        return try transaction.ask(reading, ids.sorted().map { [.id($0)] }).map { try $0.map(FeedRow.init) }
    }

    /// Locks the feeds of `ids` that exist, in the order of their ids.
    ///
    /// Each has a statement of its own: if a database is sharded by feed, no statement can lock rows of several shards.
    /// The statements travel together.
    static func lockRows(_ ids: some Collection<FeedID>, in transaction: any Transaction) throws {
        guard transaction.dialect.hasSeveralWriters else { return }
        let lock = "SELECT 1 FROM feed WHERE id = ?\(transaction.dialect.locking("feed"))"
        for id in ids.sorted() { _ = try transaction.ask(lock, [.id(id)]) }
    }

    /// Writes new feeds. If two writers create the same feed, the second fails.
    static func insert(_ feeds: [FeedRow], in transaction: any Transaction) throws {
        try transaction.execute(insertion, feeds.map(\.values))
    }

    /// Writes existing feeds.
    static func update(_ feeds: [FeedRow], in transaction: any Transaction) throws {
        try transaction.execute(replacement, feeds.map(\.values))
    }

    /// Locks existing feeds, changes each, and writes them.
    static func change(
        _ ids: Set<FeedID>, in transaction: any Transaction, _ body: (inout FeedRow) -> Void
    ) throws {
        var feeds = try lock(ids, in: transaction)
        for index in feeds.indices { body(&feeds[index]) }
        try update(feeds, in: transaction)
    }
}

extension FeedRow {
    /// The number of records of a deleted account that one transaction deletes.
    private static let recordsPerClearing: Int64 = 1_000

    /// Removes the next records and tombstones of a deleted account's own feed, then the stored data of its devices.
    ///
    /// - Returns: Whether there may be more.
    static func clear(of account: AccountID, in transaction: any Transaction) throws -> Bool {
        for table in ["record", "tombstone"] {
            let rows = try transaction.query(
                "SELECT feed, id FROM \(table) WHERE feed = ? ORDER BY id LIMIT ?",
                [.id(account), .integer(recordsPerClearing)])
            try transaction.delete(from: table, ["feed", "id"], rows.map(\.values))
            if rows.count == recordsPerClearing { return true }
        }
        // The stored outcomes of its devices' mutations, because rejections quote the mutations.
        let taken = try transaction.query(
            "SELECT account, device, number FROM taken WHERE account = ? LIMIT ?",
            [.id(account), .integer(recordsPerClearing)])
        try transaction.delete(from: "taken", ["account", "device", "number"], taken.map(\.values))
        if taken.count == recordsPerClearing { return true }
        try transaction.execute("DELETE FROM device WHERE account = ?", [.id(account)])
        try transaction.execute("DELETE FROM lost_access WHERE account = ?", [.id(account)])
        try change([account.retyped()], in: transaction) { $0.empty() }
        try StorageUse.remove(account, in: transaction)
        return false
    }
}
