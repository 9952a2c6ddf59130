import Foundation
import GRDB
import KithModel

/// Decodes rows into lists, items and members. It reads columns by position instead of using `Codable`, because apps
/// mostly read long lists.
extension SharedList {
    private static let columns = """
        SELECT list.id, list.name, list.kind, list.theme, list.access, list.sequence, max(list.modified, list.touched),
            membership.role, membership.position
        FROM list LEFT JOIN membership ON membership.account = list.account AND membership.id = list.id
        WHERE list.account = ? AND NOT list.removed AND NOT coalesce(membership.removed, 0)
        """

    static func fetch(_ db: Database, _ account: Int64, _ id: ListID) throws -> SharedList? {
        try Row.fetchOne(db.cachedStatement(sql: columns + " AND list.id = ?"), arguments: [account, id])
            .flatMap(SharedList.init)
    }

    static func fetchAll(_ db: Database, _ account: Int64) throws -> [SharedList] {
        let order = " ORDER BY membership.position IS NULL, membership.position, list.id"
        return try Row.fetchAll(db.cachedStatement(sql: columns + order), arguments: [account])
            .compactMap(SharedList.init)
    }

    static func count(_ db: Database, _ account: Int64) throws -> Int { try fetchAll(db, account).count }

    private init?(_ row: Row) {
        // Without a known role: if the server does not know the list yet, I own it; otherwise I have lost access.
        let isMine = row[5] as Int64 == 0
        guard let role = (row[7] as String?).flatMap(Role.init) ?? (isMine ? .owner : nil) else { return nil }
        self.init(
            id: row[0], name: row[1], kind: row[2] ?? "shopping", theme: row[3],
            access: (row[4] as String?).flatMap(Access.init) ?? .private, role: role,
            position: (row[8] as String?).flatMap { IndexKey($0) }, modified: Timestamp(milliseconds: row[6]))
    }
}

extension ListItem {
    private static let columns = """
        SELECT id, list, title, count, ticked, position, category, comment, offer, creator, modified
        FROM item WHERE account = ?1 AND NOT removed
        """

    /// An SQL condition that hides the content of lists that were removed or left. If `list` is a parameter or a
    /// constant, SQLite evaluates the condition once per query.
    private static func isShown(_ list: String) -> String {
        """
         AND EXISTS (SELECT 1 FROM list AS shown WHERE shown.account = ?1 AND shown.id = \(list) AND NOT shown.removed)
         AND NOT EXISTS (SELECT 1 FROM membership WHERE account = ?1 AND membership.id = \(list) AND membership.removed)
        """
    }

    /// The items of a list, in their order.
    static func fetchAll(_ db: Database, _ account: Int64, in list: ListID) throws -> [ListItem] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: columns + " AND list = ?2" + isShown("?2") + " ORDER BY position, id"),
            arguments: [account, list])
        var items: [ListItem] = []
        while let row = try rows.next() { items.append(ListItem(row)) }
        return items
    }

    static func fetchAll(_ db: Database, _ account: Int64) throws -> [ListItem] {
        try Row.fetchAll(db.cachedStatement(sql: columns + " ORDER BY list, position, id"), arguments: [account])
            .map(ListItem.init)
    }

    /// The items of all visible lists.
    static func fetchShown(_ db: Database, _ account: Int64) throws -> [ListItem] {
        try Row.fetchAll(
            db.cachedStatement(sql: columns + isShown("item.list") + " ORDER BY list, position, id"),
            arguments: [account]
        ).map(ListItem.init)
    }

    /// The item with this identity in `list`. If `list` is nil, the item of the only list that has one.
    ///
    /// - Throws: ``KithError`` with `invalid` if `list` is nil and several lists have such an item.
    static func fetch(_ db: Database, _ account: Int64, _ id: ItemID, in list: ListID?) throws -> ListItem? {
        let place = list == nil ? "" : " AND list = ?3"
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: columns + " AND id = ?2" + place + isShown("item.list") + " LIMIT 2"),
            arguments: [account, id] + (list.map { [$0] } ?? []))
        guard rows.count < 2 else {
            throw KithError(.invalid, "Several lists have an item \(id). Say in which one it is meant.")
        }
        return rows.first.map(ListItem.init)
    }

    static func fetch(_ db: Database, _ account: Int64, offer: String, in list: ListID) throws -> ListItem? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: columns + " AND list = ?2 AND offer = ?3" + isShown("?2") + " ORDER BY position, id LIMIT 1"),
            arguments: [account, list, offer]
        ).map(ListItem.init)
    }

    private init(_ row: Row) {
        let count: Int64? = row[3]
        self.init(
            id: row[0], listID: row[1], title: row[2] ?? "", count: ListItem.shown(count), isTicked: row[4] ?? false,
            position: (row[5] as String?).flatMap { IndexKey($0) } ?? .first, category: row[6], comment: row[7],
            offer: row[8], creator: row[9], modified: Timestamp(milliseconds: row[10]))
    }

    init(_ key: RecordKey, _ record: StoredRecord) {
        let fields = record.fields
        self.init(
            id: key.id.retyped(), listID: key.list, title: fields["title"]?.text ?? "",
            count: ListItem.shown(fields["count"]?.integer), isTicked: fields["ticked"]?.flag ?? false,
            position: (fields["position"]?.text).flatMap { IndexKey($0) } ?? .first,
            category: fields["category"]?.text, comment: fields["comment"]?.text, offer: fields["offer"]?.text,
            creator: (fields["creator"]?.text).flatMap { AccountID($0) }, modified: record.modified)
    }

    /// Limits a stored sum to the valid range. Sums are stored without a limit.
    private static func shown(_ sum: Int64?) -> Int {
        Int(min(max(sum ?? 1, Limits.count.lowerBound), Limits.count.upperBound))
    }
}

extension Member {
    static func fetchAll(_ db: Database, _ account: Int64, of list: ListID) throws -> [Member] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, list, role, name, modified, profileName FROM member
                    WHERE account = ?1 AND list = ?2 AND NOT removed
                        AND EXISTS (SELECT 1 FROM list WHERE account = ?1 AND id = ?2 AND NOT list.removed)
                    ORDER BY id
                    """), arguments: [account, list]
        ).map(Member.init)
    }

    static func fetchAll(_ db: Database, _ account: Int64) throws -> [Member] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT id, list, role, name, modified, profileName FROM member WHERE account = ? AND NOT removed"),
            arguments: [account]
        ).map(Member.init)
    }

    private init(_ row: Row) {
        self.init(
            id: row[0], listID: row[1], role: (row[2] as String?).flatMap(Role.init) ?? .viewer, name: row[3],
            profileName: row[5], modified: Timestamp(milliseconds: row[4]))
    }

    init(_ key: RecordKey, _ record: StoredRecord) {
        self.init(
            id: key.id.retyped(), listID: key.list,
            role: (record.fields["role"]?.text).flatMap(Role.init) ?? .viewer, name: record.fields["name"]?.text,
            profileName: record.fields["profileName"]?.text, modified: record.modified)
    }
}
