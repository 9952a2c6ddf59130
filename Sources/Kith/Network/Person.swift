import GRDB
public import KithModel

/// A person as I may see them: a result of the directory search, or a contact with all details.
public struct Person: Hashable, Sendable, Identifiable {
    /// Their account.
    public let id: AccountID
    /// The part of their profile that I may see. Fields that they do not show or have not set are empty.
    public let profile: Profile
    /// Whether the account is a program.
    public let isBot: Bool
    /// Whether this is everything that they show, as far as this device knows. If not, the device was offline.
    public let isComplete: Bool

    init(_ shown: ShownProfile) {
        id = shown.account
        profile = Profile(shown.fields)
        isBot = shown.isBot
        isComplete = true
    }

    private init(id: AccountID, contact: Fields, details: Details?) {
        let tag = contact["detailsTag"]?.text
        // The summary comes with each round, so it is never older than the details.
        var fields = tag == nil ? [:] : details?.fields ?? [:]
        for name in NetworkContact.summary { fields[name] = contact[name] }
        self.id = id
        profile = Profile(fields)
        isBot = contact["isBot"]?.flag ?? false
        isComplete = tag == nil || tag == details?.tag
    }

    /// A contact with its stored details; nil if there is no such contact.
    static func fetch(_ db: Database, _ account: Int64, _ id: AccountID) throws -> Person? {
        let key = RecordKey.contact(id)
        // A removed contact has an empty record, which must not be shown.
        guard let record = try RecordTable(NetworkContact.schema).record(db, account, key),
            NetworkContact(key, record).isSomebody
        else { return nil }
        return Person(id: id, contact: record.fields, details: try Details.fetch(db, account, id))
    }
}

/// The details that a contact showed beyond the summary at the last request, as the replica stores them.
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
