package import GRDB
package import KithModel

/// Decodes rows into contacts and the profile. It reads columns by position instead of using `Codable`, because a
/// network may have ten thousand people.
extension NetworkContact {
    private static let columns = """
        SELECT id, wish, asked, accepted, notified, isBlocked, mutedFrom, mutedUntil, isBot, given, family, nick, title,
            jobTitle, company, status, pictureSmall, pictureLarge, detailsTag, modified
        FROM contact WHERE account = ? AND NOT removed
        """

    /// All contacts of an account, including those that no view shows, ordered by id.
    static func fetchAll(_ db: Database, _ account: Int64) throws -> [NetworkContact] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: columns + " ORDER BY id"), arguments: [account])
        var contacts: [NetworkContact] = []
        while let row = try rows.next() { contacts.append(NetworkContact(row)) }
        return contacts
    }

    /// The people of a view, ordered by id.
    static func fetchAll(_ db: Database, _ account: ReplicaAccount, in view: NetworkView) throws -> [NetworkContact] {
        try fetchAll(db, account.key).filter { view.shows($0, to: account.id) }
    }

    /// The contact with this account, even if no view shows it.
    package static func fetch(_ db: Database, _ account: Int64, _ id: AccountID) throws -> NetworkContact? {
        try Row.fetchOne(db.cachedStatement(sql: columns + " AND id = ?"), arguments: [account, id])
            .map(NetworkContact.init)
    }

    private init(_ row: Row) {
        self.init(
            id: row[0], wish: row[1], asked: Self.time(row[2]), accepted: Self.time(row[3]),
            notified: Self.time(row[4]), isBlocked: row[5] ?? false, mutedFrom: Self.time(row[6]),
            mutedUntil: Self.time(row[7]), isBot: row[8] ?? false, given: row[9], family: row[10], nick: row[11],
            title: row[12], jobTitle: row[13], company: row[14], status: row[15], pictureSmall: row[16],
            pictureLarge: row[17], detailsTag: row[18], modified: Timestamp(milliseconds: row[19]))
    }

    private static func time(_ milliseconds: Int64?) -> Timestamp? { milliseconds.map(Timestamp.init(milliseconds:)) }

    init(_ key: RecordKey, _ record: StoredRecord) {
        self.init(id: key.id.retyped(), record.fields, modified: record.modified)
    }
}

extension Profile {
    /// The profile of an account; empty if nothing was set yet.
    static func fetch(_ db: Database, _ account: Int64) throws -> Profile {
        let record = try RecordTable(schema).record(db, account, .profile)
        return Profile(record?.fields ?? [:])
    }
}

extension [NetworkContact] {
    /// Sorts by name; contacts without a name come last.
    func sortedByName() -> [NetworkContact] {
        // Only the keys are moved while sorting, because a contact has many fields.
        indices.map { NameKey(self[$0], at: $0) }.sorted().map { self[$0.place] }
    }

    /// The contacts for which each word of `text` is the beginning of a word of the name, the work or the company.
    /// Keeps the order of `self`.
    func matching(_ text: String) -> [NetworkContact] {
        let wanted = FoldedText(text).words.map { [UInt8]($0) }
        if wanted.isEmpty { return [] }
        var spelling = LatinSpelling()
        return filter { contact in
            var folded = FoldedText()
            var seen: Set<Int> = []
            for part in [contact.given, contact.family, contact.nick, contact.company, contact.jobTitle] {
                if let part { folded.append(name: part, &spelling, &seen) }
            }
            let words = folded.words
            return wanted.allSatisfy { start in words.contains { $0.starts(with: start) } }
        }
    }
}
