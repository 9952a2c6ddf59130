import Foundation
import GRDB
import KithModel

/// Decodes rows into lists, items and members. It reads columns by position, without GRDB's rows, because apps mostly
/// read long lists.
extension SharedList {
    private static let columns = """
        SELECT list.id, list.name, list.kind, list.theme, list.access, list.sequence, max(list.modified, list.touched),
            membership.role, membership.position
        FROM list LEFT JOIN membership ON membership.account = list.account AND membership.id = list.id
        WHERE list.account = ? AND NOT list.removed AND NOT coalesce(membership.removed, 0)
        """

    static func fetch(_ id: ListID, in store: Store) throws -> SharedList? {
        try DirectStatement(columns + " AND list.id = ?", store.db).first(store.key, id, read: SharedList.init) ?? nil
    }

    static func fetchAll(in store: Store) throws -> [SharedList] {
        let order = " ORDER BY membership.position IS NULL, membership.position, list.id"
        return try DirectStatement(columns + order, store.db).all(store.key, read: SharedList.init).compactMap(\.self)
    }

    static func count(in store: Store) throws -> Int { try fetchAll(in: store).count }

    private init?(_ columns: DirectStatement.Columns) throws {
        // Without a known role: if the server does not know the list yet, I own it; otherwise I have lost access.
        let isMine = columns.integer(5) == 0
        guard let role = columns.textIfAny(7).flatMap(Role.init) ?? (isMine ? .owner : nil) else { return nil }
        self.init(
            id: try columns.id(0), name: columns.text(1), kind: columns.textIfAny(2) ?? SharedList.standardKind,
            theme: columns.textIfAny(3), access: columns.textIfAny(4).flatMap(Access.init) ?? .private, role: role,
            position: columns.textIfAny(8).flatMap { IndexKey($0) },
            modified: Timestamp(milliseconds: columns.integer(6)))
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
    static func fetchAll(of list: ListID, in store: Store) throws -> [ListItem] {
        try DirectStatement(inList, store.db).all(store.key, list, read: ListItem.init)
    }

    private static let inList = columns + " AND list = ?2" + isShown("?2") + " ORDER BY position, id"

    static func fetchAll(in store: Store) throws -> [ListItem] {
        try DirectStatement(columns + " ORDER BY list, position, id", store.db).all(store.key, read: ListItem.init)
    }

    /// The items of all visible lists.
    static func fetchShown(in store: Store) throws -> [ListItem] {
        try DirectStatement(columns + isShown("item.list") + " ORDER BY list, position, id", store.db)
            .all(store.key, read: ListItem.init)
    }

    /// The item with this identity in `list`. If `list` is nil, the item of the only list that has one.
    ///
    /// - Throws: ``KithError`` with `invalid` if `list` is nil and several lists have such an item.
    static func fetch(_ id: ItemID, of list: ListID?, in store: Store) throws -> ListItem? {
        let place = list == nil ? "" : " AND list = ?3"
        let sql = columns + " AND id = ?2" + place + isShown("item.list") + " LIMIT 2"
        let items = try DirectStatement(sql, store.db).allNumbered(store.key, id, list, read: ListItem.init)
        guard items.count < 2 else {
            throw KithError(.invalid, "Several lists have an item \(id). Say in which one it is meant.")
        }
        return items.first
    }

    static func fetch(offer: String, of list: ListID, in store: Store) throws -> ListItem? {
        try DirectStatement(
            columns + " AND list = ?2 AND offer = ?3" + isShown("?2") + " ORDER BY position, id LIMIT 1", store.db
        ).first(store.key, list, offer, read: ListItem.init)
    }

    private init(_ columns: DirectStatement.Columns) throws {
        self.init(
            id: try columns.id(0), listID: try columns.id(1), title: columns.text(2),
            count: ListItem.shown(columns.integerIfAny(3)), isTicked: columns.flag(4),
            position: columns.textIfAny(5).flatMap { IndexKey($0) } ?? .first, category: columns.textIfAny(6),
            comment: columns.textIfAny(7), offer: columns.textIfAny(8), creator: columns.idIfAny(9),
            modified: Timestamp(milliseconds: columns.integer(10)))
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
    static func fetchAll(of list: ListID, in store: Store) throws -> [Member] {
        try DirectStatement(
            """
            SELECT id, list, role, name, modified, profileName FROM member
            WHERE account = ?1 AND list = ?2 AND NOT removed
                AND EXISTS (SELECT 1 FROM list WHERE account = ?1 AND id = ?2 AND NOT list.removed)
            ORDER BY id
            """, store.db
        ).all(store.key, list, read: Member.init)
    }

    static func fetchAll(in store: Store) throws -> [Member] {
        try DirectStatement(
            "SELECT id, list, role, name, modified, profileName FROM member WHERE account = ? AND NOT removed", store.db
        ).all(store.key, read: Member.init)
    }

    private init(_ columns: DirectStatement.Columns) throws {
        self.init(
            id: try columns.id(0), listID: try columns.id(1),
            role: columns.textIfAny(2).flatMap(Role.init) ?? .viewer, name: columns.textIfAny(3),
            profileName: columns.textIfAny(5), modified: Timestamp(milliseconds: columns.integer(4)))
    }

    init(_ key: RecordKey, _ record: StoredRecord) {
        self.init(
            id: key.id.retyped(), listID: key.list,
            role: (record.fields["role"]?.text).flatMap(Role.init) ?? .viewer, name: record.fields["name"]?.text,
            profileName: record.fields["profileName"]?.text, modified: record.modified)
    }
}
