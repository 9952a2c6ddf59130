import Kith
import KithCards

/// What makes a card that is to be added one that is there already: its key, and under that the name.
///
/// One uid on cards of different names is several people: some programs give many cards one uid, as by copying a template.
struct CardLikeness: Hashable, Sendable {
    let key: CardKey
    /// Nil if the card has none.
    let name: String?

    init(_ key: CardKey, _ card: Card) {
        self.key = key
        name = Self.name(of: card)
    }

    init(_ vCard: VCard) {
        let card = Card(vCard)
        self.init(CardKey(vCard, uid: card.uid), card)
    }

    /// The name that counts: a person's, else a company's.
    static func name(of card: Card) -> String? { card.name.displayText ?? card.organizations.first?.shown }
}
