import KithModel

/// The storage that each account uses, in blocks: an upper bound that is known without adding up all its feeds.
///
/// An account uses the bytes of its own feed and of the lists that it owns. A feed of *n* bytes has *n* / 64 KiB
/// blocks, rounded up. The table `storage` has the sum of the blocks of an account's feeds. It changes only when a feed gets
/// another number of blocks or another owner, so few writes change it.
enum StorageUse {
    /// The bytes of a block.
    static let block: Int64 = 64 << 10

    /// The number of blocks of a feed with `bytes` bytes.
    static func blocks(_ bytes: Int64) -> Int64 { (bytes + block - 1) / block }

    /// The blocks of each of the accounts that has any.
    static func blocks(of accounts: Set<AccountID>, in transaction: any Transaction) throws -> [AccountID: Int64] {
        let rows = try transaction.query(
            wanted: ["account"], accounts.sorted().map { [.id($0)] },
            """
            SELECT storage.account, storage.blocks FROM wanted CROSS JOIN storage
            WHERE storage.account = wanted.account
            """)
        var blocks: [AccountID: Int64] = [:]
        for row in rows { blocks[try row.id(0)] = try row.integer(1) }
        return blocks
    }

    /// The bytes of each of the accounts that has a feed. This reads all their feeds.
    static func bytes(of accounts: Set<AccountID>, in transaction: any Transaction) throws -> [AccountID: Int64] {
        let rows = try transaction.query(
            wanted: ["owner"], accounts.sorted().map { [.id($0)] },
            """
            SELECT wanted.owner, CAST(SUM(feed.bytes) AS BIGINT) FROM wanted CROSS JOIN access CROSS JOIN feed
            WHERE access.account = wanted.owner AND access.role = 'owner' AND feed.id = access.feed
            GROUP BY wanted.owner
            """)
        var bytes: [AccountID: Int64] = [:]
        for row in rows { bytes[try row.id(0)] = try row.integer(1) }
        return bytes
    }

    /// Adds to the accounts' blocks; negative numbers are subtracted.
    static func add(_ blocks: [AccountID: Int64], in transaction: any Transaction) throws {
        let rows = blocks.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        try transaction.execute(
            wanted: ["account", "blocks"], rows.map { [.id($0.key), .integer($0.value)] },
            """
            INSERT INTO storage (account, blocks) SELECT account, blocks FROM wanted WHERE 1 = 1
            ON CONFLICT (account) DO UPDATE SET blocks = storage.blocks + excluded.blocks
            """)
    }

    /// Adds to the blocks of the feeds' owners; negative numbers are subtracted.
    static func add(_ blocks: [FeedID: Int64], in transaction: any Transaction) throws {
        let feeds = blocks.filter { $0.value != 0 }.keys.sorted()
        let rows = try transaction.query(
            wanted: ["feed"], feeds.map { [.id($0)] },
            """
            SELECT access.feed, access.account FROM wanted CROSS JOIN access
            WHERE access.feed = wanted.feed AND access.role = 'owner'
            """)
        var byOwner: [AccountID: Int64] = [:]
        for row in rows { byOwner[try row.id(1), default: 0] += blocks[try row.id(0)] ?? 0 }
        try add(byOwner, in: transaction)
    }

    /// Removes what is stored for a deleted account.
    static func remove(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM storage WHERE account = ?", [.id(account)])
    }
}
