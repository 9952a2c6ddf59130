/// A family of entries: emails, addresses, notes.
struct EntryFamily<Entry: JSContactEntry>: CardFamily {
    let family: CardPart.Family
    let prefix: String
    let words: WordKinds
    let field: String
    let resources: CardPath<[Card.Resource]>?
    private let path: CardPath<[Entry]>
    /// The type of its entries' objects in JSContact; nil if the object around them reads and writes them.
    private let type: String?
    private let draft: @Sendable (VCardWriter, Entry) -> PropertyDraft?

    /// A line of the table. Its order: the path in the card, the prefix of ids, the field and the type in JSContact,
    /// the kinds of values in TYPE and PREF, and the draft of the property.
    init(
        _ family: CardPart.Family, _ path: CardPath<[Entry]>, _ prefix: String,
        _ field: String, _ type: String?, _ words: WordKinds = [],
        resources: CardPath<[Card.Resource]>? = nil,
        draft: @escaping @Sendable (VCardWriter, Entry) -> PropertyDraft?
    ) {
        (self.family, self.path, self.prefix, self.field) = (family, path, prefix, field)
        (self.type, self.words, self.resources, self.draft) = (type, words, resources, draft)
    }

    // JSContact has relations by the other's uid.
    var isMap: Bool { Entry.self != Card.Relation.self }

    func keys(in card: Card) -> [String] { card[keyPath: path].map { $0.id } }

    func draft(of place: Int, in card: Card, by writer: VCardWriter) -> PropertyDraft? {
        let entry = card[keyPath: path][place]
        var draft = draft(writer, entry)
        draft?.carry(entry.vCardParameters)
        return draft
    }

    func exchange(_ card: inout Card, with fields: inout JSFields) {
        if let type { fields.map(field, &card[keyPath: path], type) }
    }

    func accept(_ visitor: inout some FamilyVisitor) { visitor.visit(path, family) }
}

extension EntryFamily<Card.Resource> {
    /// A family of resources.
    init(
        resources family: CardPart.Family, _ path: CardPath<[Card.Resource]>,
        _ prefix: String, _ field: String, _ type: String
    ) {
        self.init(family, path, prefix, field, type, .placed, resources: path) { $0.resource($1, family) }
    }
}
