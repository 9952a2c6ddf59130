import GRDB
import KithModel

/// The details that a contact showed beyond the summary when they were last fetched, as the replica stores them.
struct Details: Hashable, Sendable {
    let tag: String?
    let fields: Fields

    init(_ shown: ShownProfile) {
        tag = shown.detailsTag
        fields = shown.fields.filter { $0.value != .null && !NetworkContact.summary.contains($0.key) }
    }

    private init(_ row: Row) throws {
        tag = row[0]
        fields = try StoredJSON.fields(row[1])
    }

    static func fetch(of id: AccountID, in store: Store) throws -> Details? {
        try Row.fetchOne(
            store.db.cachedStatement(sql: "SELECT tag, fields FROM details WHERE account = ? AND id = ?"),
            arguments: [store.key, id]
        ).map(Details.init)
    }

    func save(of id: AccountID, in store: Store) throws {
        try store.db.cachedStatement(
            sql: """
                INSERT INTO details (account, id, tag, fields) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET tag = excluded.tag, fields = excluded.fields
                """
        ).execute(arguments: [store.key, id, tag, StoredJSON.text(fields)])
    }

    static func forget(of id: AccountID, in store: Store) throws {
        try store.db.cachedStatement(sql: "DELETE FROM details WHERE account = ? AND id = ?")
            .execute(arguments: [store.key, id])
    }
}
