import KithModel

/// How many bytes of records may still be written to feeds: what is left of what each owner may have.
///
/// An owner's bytes are those of its own feed and of the lists that it owns. They are looked up once a request, and
/// what the request adds is counted on top of them, so that the request that reaches the limit may go beyond it by
/// its own size.
///
/// The last quarter is for the owner's own edits: others cannot use up an owner's space, neither by what they write to its
/// lists nor by handing a list over.
struct StorageRoom: Sendable {
    private var owners: [FeedID: AccountID] = [:]
    private var left: [AccountID: Int64] = [:]
    /// How many bytes a list has, as far as it can be handed over.
    private var bytes: [FeedID: Int64] = [:]
    /// How many bytes of each owner only its own edits may use.
    private var reserved: Int64 = 0
    /// Who edits, and owns what is made.
    private var maker: AccountID?

    init() {}

    /// Looks up what is left of each owner of `feeds`, and of the `heirs` that they may be handed over to; of a feed that is
    /// not there, `account` will be the owner.
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
            SELECT wanted.owner, SUM(feed.bytes) FROM wanted CROSS JOIN access CROSS JOIN feed
            WHERE access.account = wanted.owner AND access.role = 'owner' AND feed.id = access.feed
            GROUP BY wanted.owner
            """)
        for row in used { room.left[try row.id(0)] = limit - (try row.integer(1)) }
        return room
    }

    /// Whether an edit may add to what is in `feed`.
    func hasRoom(in feed: FeedID) -> Bool {
        guard let owner = owner(of: feed), let rest = left[owner] else { return true }
        return rest > (owner == maker ? 0 : reserved)
    }

    /// Counts bytes that are added to `feed`; negative where it has fewer now.
    mutating func add(_ count: Int64, in feed: FeedID) {
        bytes[feed, default: 0] += count
        if let owner = owner(of: feed) { left[owner]? -= count }
    }

    /// Whether `list` fits into the space of `heir`, as far as others may use it.
    func fits(_ list: FeedID, _ heir: AccountID) -> Bool {
        guard heir != owner(of: list), let rest = left[heir], let size = bytes[list] else { return true }
        return rest - size >= reserved
    }

    /// `list` belongs to `heir` from now on.
    ///
    /// - Returns: Its owner before.
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
