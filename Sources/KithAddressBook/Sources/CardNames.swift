import Kith

/// The references of the cards in a file.
///
/// - A card with a uid by that.
/// - One without by its name, as long as no other card without a uid has that name: so what was linked by hand stays
///   linked when its number is edited.
/// - Else by what it says: an edit makes it another card then, rather than taking one namesake for the other. What was
///   decided of the name is forgotten then: it could be taken for the other's once the first is gone.
///
/// The second card that has one name is called `2:` and that name, and so on.
enum CardNames {
    /// What references by a name begin with.
    static let nameMark = "name:"

    /// What the only card of this name is called.
    static func byName(_ name: String) -> String { nameMark + SHA256(Array(name.utf8)[...]).shortHex }

    /// The names of a file's cards, in their order; each its own.
    static func of(_ cards: [CardLikeness]) -> [String] {
        var namesakes: [String: Int] = [:]
        namesakes.reserveCapacity(cards.count)
        for card in cards { if case .digest = card.key, let name = card.name { namesakes[name, default: 0] += 1 } }
        // Keys that are the same text count as one here, though their bytes differ: references are compared as text.
        var seen: [String: Int] = [:]
        seen.reserveCapacity(cards.count)
        return cards.map { card in
            let text =
                if case .digest = card.key, let name = card.name, namesakes[name] == 1 {
                    byName(name)
                } else {
                    card.key.text
                }
            let count = (seen[text] ?? 0) + 1
            seen[text] = count
            return count == 1 ? text : "\(count):\(text)"
        }
    }
}
