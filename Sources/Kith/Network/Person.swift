public import KithModel

/// A person as I may see them: a result of the directory search, or a contact with all details.
public struct Person: Hashable, Sendable, Identifiable {
    /// Their account.
    public let id: AccountID
    /// The part of their profile that I may see. Fields that they do not show or have not set are empty.
    public let profile: Profile
    /// Whether the account is a program.
    public let isBot: Bool
    /// Whether the result has everything that they show, as far as this device knows. It is false if newer details
    /// could not be fetched.
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
    static func fetch(_ id: AccountID, in store: Store) throws -> Person? {
        let key = RecordKey.contact(id)
        // Read in any case: a live query follows the tables that its first call reads.
        let details = try Details.fetch(of: id, in: store)
        // A removed contact has an empty record, which must not be shown.
        guard let record = try RecordTable(NetworkContact.schema).record(at: key, in: store),
            NetworkContact(key, record).isSomebody
        else { return nil }
        return Person(id: id, contact: record.fields, details: details)
    }
}
