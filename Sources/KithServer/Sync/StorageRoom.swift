import KithModel

/// The number of bytes of records that may still be written to feeds: the remaining storage of each owner.
///
/// An owner's bytes are the bytes of its own feed and of the lists that it owns. They are read once per request, and
/// the bytes that the request adds are counted in addition. The request that reaches the limit may therefore exceed it
/// by its own size.
///
/// The last quarter is reserved for the owner's own edits. Others cannot use up an owner's storage, neither by writing
/// to its lists nor by handing over a list.
struct StorageRoom: Sendable {
    private var owners: [FeedID: AccountID] = [:]
    private var left: [AccountID: Int64] = [:]
    /// The number of bytes of each list that can be handed over.
    private var bytes: [FeedID: Int64] = [:]
    /// The number of bytes of each owner that are reserved for its own edits.
    private var reserved: Int64 = 0
    /// The author of the edits, who owns what they create.
    private var maker: AccountID?

    init() {}

    /// Reads the remaining storage of each owner of `feeds`, and of the `heirs` that may get them.
    /// `account` will own the feeds that do not exist yet.
    static func open(
        _ feeds: [FeedRow], heirs: Set<AccountID>, for account: AccountID, limit: Int64,
        in transaction: any Transaction
    ) throws -> StorageRoom {
        let rows = try transaction.query(
            wanted: ["feed"], Set(feeds.map(\.id)).union([account.retyped()]).sorted().map { [.id($0)] },
            """
            SELECT access.feed, access.account FROM wanted CROSS JOIN access
            WHERE access.feed = wanted.feed AND access.role = 'owner'
            """)
        var room = StorageRoom()
        room.maker = account
        room.reserved = limit / 4
        room.bytes = Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0.bytes) })
        for row in rows { room.owners[try row.id(0)] = try row.id(1) }
        let used = try transaction.query(
            wanted: ["owner"], heirs.union(room.owners.values).sorted().map { [.id($0)] },
            """
            SELECT wanted.owner, CAST(SUM(feed.bytes) AS BIGINT) FROM wanted CROSS JOIN access CROSS JOIN feed
            WHERE access.account = wanted.owner AND access.role = 'owner' AND feed.id = access.feed
            GROUP BY wanted.owner
            """)
        for row in used { room.left[try row.id(0)] = limit - (try row.integer(1)) }
        return room
    }

    /// Whether an edit may add bytes to `feed`.
    func hasRoom(in feed: FeedID) -> Bool {
        guard let owner = owner(of: feed), let rest = left[owner] else { return true }
        return rest > (owner == maker ? 0 : reserved)
    }

    /// Counts bytes that are added to `feed`; negative if bytes are removed.
    mutating func add(_ count: Int64, in feed: FeedID) {
        bytes[feed, default: 0] += count
        if let owner = owner(of: feed) { left[owner]? -= count }
    }

    /// Whether `list` fits into the storage of `heir`, without the reserved part.
    func fits(_ list: FeedID, _ heir: AccountID) -> Bool {
        guard heir != owner(of: list), let rest = left[heir], let size = bytes[list] else { return true }
        return rest - size >= reserved
    }

    /// Makes `heir` the owner of `list`.
    ///
    /// - Returns: The previous owner.
    mutating func handOver(_ list: FeedID, to heir: AccountID) -> AccountID? {
        let old = owner(of: list)
        if let size = bytes[list] {
            if let old { left[old]? += size }
            left[heir]? -= size
        }
        owners[list] = heir
        return old
    }

    private func owner(of feed: FeedID) -> AccountID? { owners[feed] ?? maker }
}
