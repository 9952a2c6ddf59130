/// A family of unique words: keywords, or the members of a group.
struct WordFamily: CardFamily {
    let family: CardPart.Family
    let prefix: String
    let field: String
    private let path: CardPath<[String]>
    private let draft: @Sendable (VCardWriter, String) -> PropertyDraft?

    /// A line of the table. Its order: the path in the card, the prefix of ids, the field in JSContact, and the draft
    /// of the property.
    init(
        _ family: CardPart.Family, _ path: CardPath<[String]>, _ prefix: String,
        _ field: String, draft: @escaping @Sendable (VCardWriter, String) -> PropertyDraft?
    ) {
        (self.family, self.path, self.prefix, self.field, self.draft) = (family, path, prefix, field, draft)
    }

    var words: WordKinds { [] }
    var isMap: Bool { false }
    var resources: CardPath<[Card.Resource]>? { nil }

    func keys(in card: Card) -> [String] { card[keyPath: path] }

    func draft(of place: Int, in card: Card, by writer: VCardWriter) -> PropertyDraft? {
        draft(writer, card[keyPath: path][place])
    }

    func exchange(_ card: inout Card, with fields: inout JSFields) { fields.set(field, &card[keyPath: path]) }
    func accept(_ visitor: inout some FamilyVisitor) {}
}
