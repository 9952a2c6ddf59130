package import GRDB
package import KithModel

/// Decodes rows into contacts and the profile. It reads columns directly, because a network may have ten thousand people.
extension NetworkContact {
    private static let columns = """
        SELECT id, wish, asked, accepted, notified, isBlocked, mutedFrom, mutedUntil, isBot, given, family, nick, title,
            jobTitle, company, status, pictureSmall, pictureLarge, detailsTag, modified
        FROM contact WHERE account = ? AND NOT removed
        """

    private static let byID = columns + " ORDER BY id"

    /// All contacts of an account, including those that no view shows, ordered by id.
    static func fetchAll(_ db: Database, _ account: Int64) throws -> [NetworkContact] {
        try DirectStatement(byID, db).all(account, read: NetworkContact.init)
    }

    /// The people of a view, ordered by id.
    static func fetchAll(_ db: Database, _ account: ReplicaAccount, in view: NetworkView) throws -> [NetworkContact] {
        // An array of ten thousand contacts takes megabytes, so it is made once.
        var contacts: [NetworkContact] = []
        try DirectStatement(byID, db).forEach(account.key) { columns in
            let contact = try NetworkContact(columns)
            if view.shows(contact, to: account.id) { contacts.append(contact) }
        }
        return contacts
    }

    /// The contact with this account, even if no view shows it.
    package static func fetch(_ db: Database, _ account: Int64, _ id: AccountID) throws -> NetworkContact? {
        try DirectStatement(columns + " AND id = ?", db).first(account, id, read: NetworkContact.init)
    }

    private init(_ columns: DirectStatement.Columns) throws {
        func text(_ column: CInt) -> String? { columns.textIfAny(column) }
        func time(_ column: CInt) -> Timestamp? { columns.integerIfAny(column).map(Timestamp.init(milliseconds:)) }
        self.init(
            id: try columns.id(0), wish: text(1), asked: time(2), accepted: time(3), notified: time(4),
            isBlocked: columns.flag(5), mutedFrom: time(6), mutedUntil: time(7), isBot: columns.flag(8), given: text(9),
            family: text(10), nick: text(11), title: text(12), jobTitle: text(13), company: text(14), status: text(15),
            pictureSmall: text(16), pictureLarge: text(17), detailsTag: text(18),
            modified: Timestamp(milliseconds: columns.integer(19)))
    }

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
