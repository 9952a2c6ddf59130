import KithCards
import KithModel

/// The names that decide between several contacts with the same number or address.
struct SoughtNames {
    let given: String?
    let family: String?

    /// The first that goes by both names; else by the family's, else by the given one; else the first. Only those count
    /// with a card that has what is looked for: a table may know others, by accident.
    func best(
        of contacts: some Sequence<Contact>, whichHave has: (FiledCard) -> Bool
    ) -> Contact? {
        var best: (contact: Contact, likeness: Int)?
        for contact in contacts where contact.filed.contains(where: has) {
            let likeness = contact.filed.map(likeness).max() ?? 0
            if best.map({ likeness > $0.likeness }) ?? true { best = (contact, likeness) }
        }
        return best?.contact
    }

    private func likeness(_ card: FiledCard) -> Int {
        func isSame(_ sought: String?, _ kind: Card.Name.Kind) -> Bool {
            guard let sought, let name = card.card.name[kind] else { return false }
            return FoldedText(sought).bytes == FoldedText(name).bytes
        }
        return (isSame(family, .surname) ? 2 : 0) + (isSame(given, .given) ? 1 : 0)
    }
}
