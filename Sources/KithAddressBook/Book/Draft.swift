import KithCards

/// A contact before sorting.
struct Draft: Sendable {
    let id: Contact.ID
    let cards: [IndexedCard]
    let fields: [String]

    /// The contact of these linked cards, which are in the order of the sources.
    init(_ linked: [IndexedCard], _ order: NameOrder) {
        // The first card by reference within the first source determines the contact's id, so the id stays the same if
        // a file is sorted differently.
        let source = linked[0].source
        let oldest = linked.prefix { $0.source == source }.min { $0.reference.name < $1.reference.name }
        id = (oldest ?? linked[0]).id
        cards =
            linked.count == 1
            ? linked
            : linked.filter { $0.card.name.displayText != nil } + linked.filter { $0.card.name.displayText == nil }
        fields = Contact(id: id, indexed: cards, order: order, sectionTitle: "").sortFields
    }
}
