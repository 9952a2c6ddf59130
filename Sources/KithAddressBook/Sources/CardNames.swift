import Kith

/// The references of the cards in a file.
///
/// - A card with a uid is referred to by its uid.
/// - A card without a uid is referred to by its name, if no other card without a uid has that name. Its links therefore
///   survive an edit of its number.
/// - Any other card is referred to by a digest of its content. An edit gives it a new reference and drops its
///   decisions. A reference by name could silently move from one namesake to the other.
///
/// If several cards have the same reference, the second is prefixed with `2:`, the third with `3:`, and so on.
enum CardNames {
    /// The prefix of references by name.
    static let nameMark = "name:"

    /// The reference of the only card with this name.
    static func byName(_ name: String) -> String { nameMark + SHA256(Array(name.utf8)[...]).shortHex }

    /// The references of a file's cards, in their order, each unique.
    static func of(_ cards: [CardSimilarity]) -> [String] {
        var namesakes: [String: Int] = [:]
        namesakes.reserveCapacity(cards.count)
        for card in cards { if case .digest = card.key, let name = card.name { namesakes[name, default: 0] += 1 } }
        // Counts by text, not by key: keys with different bytes can be equal as text, and references are compared as
        // text.
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
