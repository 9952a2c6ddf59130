import KithCards
import KithModel

/// The names that choose between several contacts with the same number or address.
struct NameQuery {
    let given: String?
    let family: String?

    /// The first contact with both names; else with the family name; else with the given name; else the first. Only
    /// contacts with a card that satisfies `has` count, because a table lookup can return others by hash collision.
    func best(
        of contacts: some Sequence<Contact>, whichHave has: (IndexedCard) -> Bool
    ) -> Contact? {
        var best: (contact: Contact, likeness: Int)?
        for contact in contacts where contact.filed.contains(where: has) {
            let likeness = contact.filed.map(likeness).max() ?? 0
            if best.map({ likeness > $0.likeness }) ?? true { best = (contact, likeness) }
        }
        return best?.contact
    }

    private func likeness(_ card: IndexedCard) -> Int {
        func isSame(_ sought: String?, _ kind: Card.Name.Kind) -> Bool {
            guard let sought, let name = card.card.name[kind] else { return false }
            return FoldedText(sought).bytes == FoldedText(name).bytes
        }
        return (isSame(family, .surname) ? 2 : 0) + (isSame(given, .given) ? 1 : 0)
    }
}
