/// A family of a card's parts that are alike, such as its emails: where a card has them, and what each format calls them.
protocol CardFamily: Sendable {
    var family: CardPart.Family { get }
    /// The beginning of the ids that are made from places. `EMAIL-12` is short enough to need no memory of its own.
    var prefix: String { get }
    /// The words of TYPE, and the preference, that the model knows for its entries.
    var words: WordKinds { get }
    /// The field of JSContact's card that has them.
    var field: String { get }
    /// Whether JSContact has them in a map by their ids.
    var isMap: Bool { get }
    /// Where a card has them, if they are resources.
    var resources: CardPath<[Card.Resource]>? { get }

    /// What tells the entries apart, in their order.
    func keys(in card: Card) -> [String]
    /// What a property is to say of an entry; nil if there is no way to say it.
    func draft(of place: Int, in card: Card, by writer: VCardWriter) -> PropertyDraft?
    /// Reads or writes its field of JSContact's card.
    func exchange(_ card: inout Card, with fields: inout JSFields)
    /// Calls `visitor` if the family has entries, and not only words.
    func accept(_ visitor: inout some FamilyVisitor)
}

/// Where a card has something.
typealias CardPath<Value> = any WritableKeyPath<Card, Value> & Sendable

/// Something that is done to each family of a card's entries.
protocol FamilyVisitor {
    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family)
}

extension FamilyVisitor {
    /// Visits every family of entries, in the order in which this program writes them.
    mutating func visitAll() { for family in CardPart.Family.table { family.accept(&self) } }
}

extension CardPart.Family {
    /// Every family, in the order of the cases. A new family is a case and a line here.
    static let table: [any CardFamily] = [
        WordFamily(.keyword, \.keywords, "KEYWORD-", "keywords") { PropertyDraft(.categories, .list([$1])) },
        WordFamily(.member, \.members, "MEMBER-", "members") { $0.member($1) },
        EntryFamily(.nickname, \.nicknames, "NICK-", "nicknames", "Nickname", .placed) { $0.nickname($1) },
        EntryFamily(.organization, \.organizations, "ORG-", "organizations", "Organization", .contexts) {
            $0.organization($1)
        },
        EntryFamily(.title, \.titles, "TITLE-", "titles", "Title") { $0.title($1) },
        // JSContact has them within another object, which writes and reads them.
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

    /// The line of the table.
    var row: any CardFamily { Self.table[Int(rawValue)] }
}
