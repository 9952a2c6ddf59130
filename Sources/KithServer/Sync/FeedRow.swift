package import KithModel

/// A feed as the database keeps it: its counter, and what is known of its records together.
package struct FeedRow: Hashable, Sendable {
    /// Whose feed it is.
    package typealias Kind = Schema.Home

    package let id: FeedID
    package let kind: Kind
    /// The place of the newest change.
    package var sequence: Int64 = 0
    /// The digest of the live records.
    package var digest = FeedDigest()
    /// How many records are not deleted.
    package var live: Int64 = 0
    /// How many of these are requests to connect that wait for the owner's answer.
    package var waiting: Int64 = 0
    /// How many bytes the fields of its records take.
    package var bytes: Int64 = 0
    /// When it was last written, in the server's time; later writes are never said to be earlier.
    package var writtenAt: Timestamp
    /// The newest sequence of a tombstone that is gone: who has read less far rereads the feed.
    package var horizon: Int64 = 0
    /// Whether the list was deleted: nobody has access any more.
    package var isClosed = false

    package init(id: FeedID, kind: Kind, writtenAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.writtenAt = writtenAt
    }

    /// How many records there are by the owner's own doing: others' requests fill nobody's network.
    var settled: Int64 { live - waiting }

    /// Counts no records any more: they have been removed.
    mutating func empty() {
        (live, waiting, bytes, digest) = (0, 0, 0, FeedDigest())
    }

    /// The columns, as ``init(_:)`` reads them.
    static let columns = [
        "id", "kind", "sequence", "digest", "live", "written_at", "horizon", "closed", "waiting", "bytes",
    ]

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
    }

    private var values: [SQLValue] {
        [
            .id(id), .text(kind == .list ? "list" : "account"), .integer(sequence),
            .integer(Int64(bitPattern: digest.bits)), .integer(live), .time(writtenAt), .integer(horizon),
            .flag(isClosed), .integer(waiting), .integer(bytes),
        ]
    }

    private static func kind(_ text: String) throws -> Kind {
        switch text {
        case "list": .list
        case "account": .account
        default: throw ServerError(.internalError, "“\(text)” is not a kind of feed.")
        }
    }

    /// The feeds of `ids`, locked in the order of their ids, so that two writers never wait for each other.
    package static func lock(_ ids: Set<FeedID>, in transaction: any Transaction) throws -> [FeedRow] {
        try transaction.query(
            wanted: ["id"], ids.sorted().map { [.id($0)] },
            """
            SELECT \(columns.map { "feed.\($0)" }.joined(separator: ", ")) FROM wanted CROSS JOIN feed WHERE feed.id = wanted.id
            ORDER BY feed.id\(transaction.dialect.locking("feed"))
            """
        ).map(FeedRow.init)
    }

    /// Writes new feeds. Where two writers make the same one, the second fails.
    static func insert(_ feeds: [FeedRow], in transaction: any Transaction) throws {
        try transaction.insert(into: "feed", columns, feeds.map(\.values))
    }

    /// Writes feeds that are there.
    static func update(_ feeds: [FeedRow], in transaction: any Transaction) throws {
        try transaction.insert(into: "feed", columns, feeds.map(\.values), replacing: ["id"])
    }
}
