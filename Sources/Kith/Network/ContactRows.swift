import GRDB
package import KithModel

/// Decodes rows into contacts and the profile. It reads columns directly, because a network may have ten thousand people.
extension NetworkContact {
    private static let query = """
        SELECT id, modified, \(fieldNames.joined(separator: ", ")) FROM contact WHERE account = ? AND NOT removed
        """

    private static let byID = query + " ORDER BY id"

    /// All contacts of a store, including those that no view shows, ordered by id.
    static func fetchAll(in store: Store) throws -> [NetworkContact] {
        try DirectStatement(byID, store.db).all(store.key, read: NetworkContact.init)
    }

    /// The people of a view, ordered by id.
    static func fetchAll(in view: NetworkView, of reading: ReplicaReading) throws -> [NetworkContact] {
        let (store, me) = (reading.store, reading.account.id)
        // An array of ten thousand contacts takes megabytes, so it is made once.
        var contacts: [NetworkContact] = []
        try DirectStatement(byID, store.db).forEach(store.key) { columns in
            let contact = try NetworkContact(columns)
            if view.shows(contact, to: me) { contacts.append(contact) }
        }
        return contacts
    }

    /// The contact with this account, even if no view shows it.
    package static func fetch(_ id: AccountID, in store: Store) throws -> NetworkContact? {
        try DirectStatement(query + " AND id = ?", store.db).first(store.key, id, read: NetworkContact.init)
    }

    private init(_ columns: DirectStatement.Columns) throws {
        var row = ContactRow(columns: columns)
        self.init(
            id: try columns.id(0), reading: &row, modified: Timestamp(milliseconds: columns.integer(1)))
    }

    init(_ key: RecordKey, _ record: StoredRecord) {
        self.init(id: key.id.retyped(), record.fields, modified: record.modified)
    }
}

/// Reads the columns of `query` from left to right, in the order of ``NetworkContact/fieldNames``.
private struct ContactRow: FieldReader {
    let columns: DirectStatement.Columns
    /// The column that was read last. The columns 0 and 1 are the id and the time of the last change.
    var column: CInt = 1

    mutating func text(_ name: String) -> String? {
        column += 1
        return columns.textIfAny(column)
    }

    mutating func time(_ name: String) -> Timestamp? {
        column += 1
        return columns.integerIfAny(column).map(Timestamp.init(milliseconds:))
    }

    mutating func flag(_ name: String) -> Bool {
        column += 1
        return columns.flag(column)
    }
}

extension Profile {
    private static let table = RecordTable(schema)

    /// The profile of an account; empty if nothing was set yet.
    static func fetch(in store: Store) throws -> Profile {
        let record = try table.record(at: .profile, in: store)
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
            for text in contact.searchedTexts {
                if let text { folded.append(name: text, &spelling, &seen) }
            }
            let words = folded.words
            return wanted.allSatisfy { start in words.contains { $0.starts(with: start) } }
        }
    }
}
