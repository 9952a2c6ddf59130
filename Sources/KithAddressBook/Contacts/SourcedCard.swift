public import KithCards

/// A card with its source and reference.
public struct SourcedCard: Hashable, Sendable, Identifiable {
    /// The source of the card.
    public let source: SourceID
    /// The reference of the card in its source.
    public let reference: CardReference
    /// The card.
    public let card: Card
    /// What its names, organizations and titles are in other languages and scripts.
    public let alternatives: [Card.Alternative]

    /// The id of a contact that consists of this card alone.
    public var id: Contact.ID { Contact.ID(source, reference) }

    init(_ indexed: IndexedCard) {
        (source, reference, card) = (indexed.source, indexed.reference, indexed.card)
        alternatives = indexed.alternatives
    }
}
