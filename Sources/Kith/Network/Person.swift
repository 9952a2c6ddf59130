import GRDB
public import KithModel

/// Someone as I may see them: what a search of the directory found, or a contact with all details.
public struct Person: Hashable, Sendable, Identifiable {
    /// Their account.
    public let id: AccountID
    /// What I may see of their profile. What they do not show, or have not said, is empty.
    public let profile: Profile
    /// Whether the account is a program's.
    public let isBot: Bool
    /// Whether all that they show is here, as new as this device knows of. If not, the device was offline.
    public let isComplete: Bool

    init(_ shown: ShownProfile) {
        id = shown.account
        profile = Profile(shown.fields)
        isBot = shown.isBot
        isComplete = true
    }

    private init(id: AccountID, contact: Fields, details: Details?) {
        let tag = contact["detailsTag"]?.text
        // The summary comes with each round, so that it is never older than the details.
        var fields = tag == nil ? [:] : details?.fields ?? [:]
        for name in NetworkContact.summary { fields[name] = contact[name] }
        self.id = id
        profile = Profile(fields)
        isBot = contact["isBot"]?.flag ?? false
        isComplete = tag == nil || tag == details?.tag
    }

    /// A contact with what was kept of the details; nil if there is no such contact.
    static func fetch(_ db: Database, _ account: Int64, _ id: AccountID) throws -> Person? {
        let key = RecordKey.contact(id)
        // Of one who was removed there is an empty record, which tells nothing.
        guard let record = try RecordTable(NetworkContact.schema).record(db, account, key),
            NetworkContact(key, record).isSomebody
        else { return nil }
        return Person(id: id, contact: record.fields, details: try Details.fetch(db, account, id))
    }
}

/// What a contact showed beyond the summary when it was last asked, as the replica keeps it.
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

    static func fetch(_ db: Database, _ account: Int64, _ id: AccountID) throws -> Details? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT tag, fields FROM details WHERE account = ? AND id = ?"),
            arguments: [account, id]
        ).map(Details.init)
    }

    func save(_ db: Database, _ account: Int64, _ id: AccountID) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO details (account, id, tag, fields) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET tag = excluded.tag, fields = excluded.fields
                """
        ).execute(arguments: [account, id, tag, StoredJSON.text(fields)])
    }

    static func forget(_ db: Database, _ account: Int64, _ id: AccountID) throws {
        try db.cachedStatement(sql: "DELETE FROM details WHERE account = ? AND id = ?").execute(arguments: [
            account, id,
        ])
    }
}
