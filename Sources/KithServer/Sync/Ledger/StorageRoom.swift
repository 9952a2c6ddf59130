import KithModel

/// The number of bytes of records that may still be written to feeds: the remaining storage of each owner.
///
/// An owner's bytes are the bytes of its own feed and of the lists that it owns. They are read once per request, and
/// the bytes that the request adds are counted in addition. The request that reaches the limit may therefore exceed it
/// by its own size. With several writers, so may the requests to other lists of the owner at the same moment, which do
/// not see each other. For an owner with plenty of room, the blocks of ``StorageUse`` stand for the bytes.
///
/// The last quarter is reserved for the owner's own edits. Others cannot use up an owner's storage, neither by writing
/// to its lists nor by handing over a list.
struct StorageRoom: Sendable {
    /// A list that can be handed over, or another feed to which bytes were added.
    private struct Place {
        /// The owner; nil if it is the maker.
        var owner: AccountID?
        /// The number of bytes.
        var bytes: Int64 = 0
    }

    private var places: [FeedID: Place] = [:]
    private var left: [AccountID: Int64] = [:]
    /// The number of bytes of each owner that are reserved for its own edits.
    private var reserved: Int64 = 0
    /// The author of the edits, who owns what they create.
    private var maker: AccountID?

    init() {}

    /// The maximum number of bytes that one request can add. The stored form of an edit, with what the server adds to
    /// it, is at most a few times as long as the edit in the request.
    private static let most = Int64(8 * Limits.body)

    /// Reads the remaining storage of each owner of `lists`, and of the `heirs` that may get them. `account` owns all
    /// other feeds of the request, if it has `others`.
    ///
    /// As long as an owner has used few blocks, there is room for every request, so the bytes are not added up.
    static func open(
        _ lists: [NamedFeed], others: Bool, heirs: Set<AccountID>, for account: AccountID, limit: Int64,
        in transaction: any Transaction
    ) throws -> StorageRoom {
        var room = StorageRoom()
        room.maker = account
        room.reserved = limit / 4
        var further = heirs
        if others { further.insert(account) }
        for list in lists {
            room.places[list.row.id] = Place(owner: list.owner, bytes: list.row.bytes)
            if let owner = list.owner {
                room.left[owner] = limit - list.blocks * StorageUse.block
            } else {
                further.insert(account)
            }
        }
        further.subtract(room.left.keys)
        if !further.isEmpty {
            let blocks = try StorageUse.blocks(of: further, in: transaction)
            for person in further { room.left[person] = limit - blocks[person, default: 0] * StorageUse.block }
        }

        let moving = heirs.isEmpty ? 0 : room.places.values.reduce(0) { $0 + $1.bytes }
        var scarce: Set<AccountID> = []
        for (person, left) in room.left where left - most - moving <= room.reserved { scarce.insert(person) }
        if scarce.isEmpty { return room }
        let used = try StorageUse.bytes(of: scarce, in: transaction)
        for person in scarce { room.left[person] = used[person].map { limit - $0 } }
        return room
    }

    /// Whether an edit may add bytes to `feed`.
    func hasRoom(in feed: FeedID) -> Bool {
        guard let owner = owner(of: feed), let rest = left[owner] else { return true }
        return rest > (owner == maker ? 0 : reserved)
    }

    /// Counts bytes that are added to `feed`; negative if bytes are removed.
    mutating func add(_ count: Int64, in feed: FeedID) {
        places[feed, default: Place()].bytes += count
        if let owner = owner(of: feed) { left[owner]? -= count }
    }

    /// Whether `list` fits into the storage of `heir`, without the reserved part.
    func fits(_ list: FeedID, _ heir: AccountID) -> Bool {
        guard heir != owner(of: list), let rest = left[heir], let place = places[list] else { return true }
        return rest - place.bytes >= reserved
    }

    /// Makes `heir` the owner of `list`.
    ///
    /// - Returns: The previous owner.
    mutating func handOver(_ list: FeedID, to heir: AccountID) -> AccountID? {
        let old = owner(of: list)
        let size = places[list, default: Place()].bytes
        if let old { left[old]? += size }
        left[heir]? -= size
        places[list, default: Place()].owner = heir
        return old
    }

    private func owner(of feed: FeedID) -> AccountID? { places[feed]?.owner ?? maker }
}
