import KithCards

/// Decides whether a card to be added is already there: cards are alike if their keys and their names are equal.
///
/// The name counts too, because some programs give one uid to the cards of different people, for example by copying a
/// template.
struct CardSimilarity: Hashable, Sendable {
    let key: CardKey
    /// Nil if the card has no name.
    let name: String?

    init(_ key: CardKey, _ card: Card) {
        self.key = key
        name = Self.name(of: card)
    }

    init(_ vCard: VCard) {
        let card = Card(vCard)
        self.init(CardKey(vCard, uid: card.uid), card)
    }

    /// The name to compare: the person's, else the company's.
    static func name(of card: Card) -> String? { card.name.displayText ?? card.organizations.first?.shown }
}
