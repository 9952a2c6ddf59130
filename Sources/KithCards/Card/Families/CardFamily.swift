/// A family of similar parts of a card, such as its emails: its path in the card, and its names in each format.
protocol CardFamily: Sendable {
    var family: CardPart.Family { get }
    /// The prefix of ids that are made from positions. It is short, because Swift stores a text such as `EMAIL-12`
    /// without an allocation.
    var prefix: String { get }
    /// The kinds of values in TYPE and PREF that the model has fields for in its entries.
    var words: WordKinds { get }
    /// The field of the JSContact card that holds the family.
    var field: String { get }
    /// Whether JSContact holds the entries in a map by their ids.
    var isMap: Bool { get }
    /// The path in the card, if the entries are resources.
    var resources: CardPath<[Card.Resource]>? { get }

    /// The keys that identify the entries, in order.
    func keys(in card: Card) -> [String]
    /// The draft of the property for an entry; nil if it cannot be written.
    func draft(of place: Int, in card: Card, by writer: VCardWriter) -> PropertyDraft?
    /// Reads or writes its field of the JSContact card.
    func exchange(_ card: inout Card, with fields: inout JSFields)
    /// Calls `visitor` if the family has entries and not just words.
    func accept(_ visitor: inout some FamilyVisitor)
}

/// The path to a part of a card.
typealias CardPath<Value> = any WritableKeyPath<Card, Value> & Sendable

extension CardPart.Family {
    /// Every family, in the order of the cases. To add a family, add a case and a line here.
    static let table: [any CardFamily] = [
        WordFamily(.keyword, \.keywords, "KEYWORD-", "keywords") { PropertyDraft(.categories, .list([$1])) },
        WordFamily(.member, \.members, "MEMBER-", "members") { $0.member($1) },
        EntryFamily(.nickname, \.nicknames, "NICK-", "nicknames", "Nickname", .placed) { $0.nickname($1) },
        EntryFamily(.organization, \.organizations, "ORG-", "organizations", "Organization", .contexts) {
            $0.organization($1)
        },
        EntryFamily(.title, \.titles, "TITLE-", "titles", "Title") { $0.title($1) },
        // In JSContact, another object contains them, and reads and writes them.
        EntryFamily(.pronouns, \.speakToAs.pronouns, "PRONOUNS-", "speakToAs", nil, .placed) { $0.pronouns($1) },
        EntryFamily(.email, \.emails, "EMAIL-", "emails", "EmailAddress", .placed) { $0.email($1) },
        EntryFamily(.phone, \.phones, "PHONE-", "phones", "Phone", [.placed, .features]) { $0.phone($1) },
        EntryFamily(.onlineService, \.onlineServices, "SERVICE-", "onlineServices", "OnlineService", .placed) {
            OnlineServiceWriter(writer: $0).draft(of: $1)
        },
        EntryFamily(.language, \.preferredLanguages, "LANG-", "preferredLanguages", "LanguagePref", .placed) {
            $0.language($1)
        },
        EntryFamily(.address, \.addresses, "ADR-", "addresses", "Address", .placed) { $0.address($1) },
        EntryFamily(resources: .media, \.media, "MEDIA-", "media", "Media"),
        EntryFamily(resources: .link, \.links, "LINK-", "links", "Link"),
        EntryFamily(resources: .calendar, \.calendars, "CAL-", "calendars", "Calendar"),
        EntryFamily(resources: .cryptoKey, \.cryptoKeys, "KEY-", "cryptoKeys", "CryptoKey"),
        EntryFamily(resources: .directory, \.directories, "DIR-", "directories", "Directory"),
        EntryFamily(
            resources: .schedulingAddress, \.schedulingAddresses, "SCHED-", "schedulingAddresses", "SchedulingAddress"),
        EntryFamily(.anniversary, \.anniversaries, "ANNIV-", "anniversaries", "Anniversary") { $0.anniversary($1) },
        EntryFamily(.note, \.notes, "NOTE-", "notes", "Note") { $0.note($1) },
        EntryFamily(.relation, \.relatedTo, "RELATED-", "relatedTo", "Relation") { $0.relation($1) },
        EntryFamily(.personalInfo, \.personalInfo, "INFO-", "personalInfo", "PersonalInfo") { $0.info($1) },
    ]

    /// The family's line in the table.
    var row: any CardFamily { Self.table[Int(rawValue)] }
}
