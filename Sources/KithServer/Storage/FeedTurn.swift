public import KithModel

/// The turn of a list's feed, for which the writes to the feed wait in one line.
///
/// Without it, each write that waits for the feed's row would hold a connection. Writes whose turn names a device can
/// share a transaction. Such a write locks, in this order, the row of its device, the row of the feed, and rows that are
/// never locked before a feed. The transaction locks all devices before the feed, so its order is that of a single write.
public struct FeedTurn: Hashable, Sendable {
    /// A device of an account.
    public struct Device: Hashable, Sendable {
        let account: AccountID
        let id: DeviceID

        /// The device `id` of `account`.
        package init(_ id: DeviceID, of account: AccountID) {
            (self.account, self.id) = (account, id)
        }
    }

    /// The only list whose feed the write locks.
    public let feed: FeedID
    /// The device whose numbers the write takes; nil if it locks other rows too. It then has a transaction of its own.
    public let device: Device?

    /// The turn of `feed` for a write of `device`.
    package init(of feed: FeedID, for device: Device?) {
        (self.feed, self.device) = (feed, device)
    }
}

extension FeedTurn {
    /// Waits for the turn of a feed, and locks the rows for the writes that share a transaction, before any of them runs.
    ///
    /// Only transactions of several writes lock the feed's id as a name, and lock nothing before it. PostgreSQL grants it
    /// in the order of arrival, which it does not do for a row that changes. Nobody waits for the row of a
    /// device, whose owner may wait for the feed.
    ///
    /// - Returns: The devices whose writes can run. The rows of the others are locked. The write of a device without a
    ///   row locks none: it says that the device has sent before, so it finds that the device was forgotten.
    static func begin(
        of feed: FeedID, for devices: Set<Device>, in transaction: any Transaction
    ) throws -> Set<Device> {
        // The first bytes of an id are its time, the last are random.
        try transaction.lockName(feed.uuid.data.suffix(8))
        // A statement for each: if a database is sharded by account, no statement can lock rows of several shards. They
        // travel together.
        let locking = """
            SELECT account, id FROM device WHERE account = ? AND id = ?\(transaction.dialect.lockingUnlocked("device"))
            """
        let free = try devices.map { try transaction.ask(locking, [.id($0.account), .id($0.id)]) }
        let all = try transaction.ask(
            wanted: ["account", "id"], devices.map { [.id($0.account), .id($0.id)] },
            """
            SELECT device.account, device.id FROM wanted CROSS JOIN device
            WHERE device.account = wanted.account AND device.id = wanted.id
            """)
        _ = try transaction.ask(
            "SELECT 1 FROM feed WHERE id = ?\(transaction.dialect.locking("feed"))", [.id(feed)])
        func found(_ rows: [SQLRow]) throws -> Set<Device> {
            Set(try rows.map { Device(try $0.id(1), of: try $0.id(0)) })
        }
        let locked = try found(all.value()).subtracting(try found(free.flatMap { try $0.value() }))
        return devices.subtracting(locked)
    }
}
