package import Foundation
package import KithModel

/// The statements over the table `gift`: the marks “I give this” of wish lists.
///
/// They are no records. Only the page of a public link reads them, and only such pages hear of them: no device gets them,
/// and they are in no feed and no export.
package enum GiftTable {
    /// The hash of a browser's secret, for one list. The hashes of two lists cannot be compared.
    package static func giver(_ secret: String, of list: ListID) -> Data {
        Secret.sha256("gift \(list) \(secret)")
    }

    /// Whether a browser with the token of this session sees no gifts, because its account is in the list.
    package static func areHidden(
        from token: String, in list: ListID, _ transaction: any Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM session JOIN access ON access.account = session.account
            WHERE session.token_hash = ? AND access.feed = ?
            """, [.bytes(Secret.sha256(token)), .id(list)])
    }

    /// The givers of a list's items.
    package static func givers(of list: ListID, in transaction: any Transaction) throws -> [ItemID: Data] {
        var givers: [ItemID: Data] = [:]
        for row in try transaction.query("SELECT item, giver FROM gift WHERE list = ?", [.id(list)]) {
            givers[try row.id(0)] = try row.bytes(1)
        }
        return givers
    }

    /// The giver of an item; nil if nobody gives it.
    static func giver(of item: ItemID, in list: ListID, _ transaction: any Transaction) throws -> Data? {
        try transaction.query("SELECT giver FROM gift WHERE list = ? AND item = ?", [.id(list), .id(item)])
            .first?.bytes(0)
    }

    static func insert(
        _ item: ItemID, in list: ListID, by giver: Data, at now: Timestamp, _ transaction: any Transaction
    ) throws {
        try transaction.execute(
            "INSERT INTO gift (list, item, giver, made) VALUES (?, ?, ?, ?)",
            [.id(list), .id(item), .bytes(giver), .time(now)])
    }

    static func delete(_ item: ItemID, in list: ListID, _ transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM gift WHERE list = ? AND item = ?", [.id(list), .id(item)])
    }
}
