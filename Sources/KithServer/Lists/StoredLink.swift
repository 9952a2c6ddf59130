import Foundation
import KithModel

/// A link as the database stores it: with only the hash of its token.
struct StoredLink {
    var link: ListLink
    var isRevoked: Bool

    private static let columns = "id, list, role, is_public, created, expires, accepted, revoked, can_tick"

    /// Whether anyone with the link can read its list at this time.
    func showsList(at now: Timestamp) -> Bool {
        link.isPublic && !isRevoked && link.expires.map { $0 > now } ?? true
    }

    /// The links of a list that are neither expired nor revoked, oldest first.
    static func live(of list: ListID, at now: Timestamp, in transaction: any Transaction) throws -> [ListLink] {
        try transaction.query(
            """
            SELECT \(columns) FROM link
            WHERE list = ? AND revoked = 0 AND (expires IS NULL OR expires > ?) ORDER BY created, id
            """, [.id(list), .time(now)]
        ).map { try StoredLink($0).link }
    }

    static func find(tokenHash: Data, in transaction: any Transaction) throws -> StoredLink? {
        try transaction.query("SELECT \(columns) FROM link WHERE hash = ?", [.bytes(tokenHash)]).first
            .map { try StoredLink($0) }
    }

    func insert(tokenHash: Data, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO link (id, list, hash, role, is_public, created, expires, accepted, revoked, can_tick)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .id(link.id), .id(link.list), .bytes(tokenHash), .text(link.role.rawValue), .flag(link.isPublic),
                .time(link.created), .time(link.expires), .integer(Int64(link.accepted)), .flag(isRevoked),
                .flag(link.canTick ?? false),
            ])
    }
}

extension StoredLink {
    private init(_ row: SQLRow) throws {
        link = ListLink(
            id: try row.id(0), list: try row.id(1), role: Role(rawValue: try row.text(2)) ?? .viewer,
            isPublic: try row.flag(3), canTick: try row.flag(8) ? true : nil, created: try row.time(4),
            expires: try row.optionalTime(5), accepted: Int(try row.integer(6)))
        isRevoked = try row.flag(7)
    }
}
