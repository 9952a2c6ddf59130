/// Puts the entries that another card has too into its order.
private struct Ordering: FamilyVisitor {
    var card: Card
    let other: Card

    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family) {
        let places = Dictionary(
            zip(other[keyPath: path].map(\.id), 0...), uniquingKeysWith: { first, _ in first })
        let entries = card[keyPath: path]
        let slots = entries.indices.filter { places[entries[$0].id] != nil }
        let ordered = slots.sorted { (places[entries[$0].id] ?? 0, $0) < (places[entries[$1].id] ?? 0, $1) }
        for (slot, entry) in zip(slots, ordered) { card[keyPath: path][slot] = entries[entry] }
    }
}

/// Gives the entries the ids of those in the same places of another card. A family that has more or less there is
/// taken from it.
private struct Alignment: FamilyVisitor {
    var card: Card
    let other: Card

    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family) {
        guard card[keyPath: path].count == other[keyPath: path].count else {
            card[keyPath: path] = other[keyPath: path]
            return
        }
        for index in card[keyPath: path].indices { card[keyPath: path][index].id = other[keyPath: path][index].id }
    }
}

extension Card {
    /// What tells the entries of each family apart, in their order.
    var keys: [CardPart.Family: [String]] {
        Dictionary(uniqueKeysWithValues: CardPart.Family.table.map { ($0.family, $0.keys(in: self)) })
    }

    /// The same card, with the entries that it has in common with `other` in the order of `other`.
    func ordered(as other: Card) -> Card {
        var ordering = Ordering(card: self, other: other)
        ordering.visitAll()
        return ordering.card
    }

    /// The same card, with the ids that `other` has in the same places.
    func aligned(with other: Card) -> Card {
        var alignment = Alignment(card: self, other: other)
        alignment.visitAll()
        return alignment.card.withTitles(in: self)
    }

    /// The same card, its titles held in the organizations in the same places as in `old`.
    private func withTitles(in old: Card) -> Card {
        var card = self
        let places = Dictionary(zip(old.organizations.map(\.id), 0...), uniquingKeysWith: { first, _ in first })
        for index in card.titles.indices {
            guard let id = card.titles[index].organization else { continue }
            card.titles[index].organization = places[id].flatMap {
                $0 < organizations.count ? organizations[$0].id : nil
            }
        }
        return card
    }
}

extension Card {
    /// Its parts, in the order in which this program writes them.
    var parts: [CardPart] {
        let keys = keys
        return [.productID, .uid, .kind, .language, .fullName, .name, .grammaticalGender, .created, .updated]
            + CardPart.Family.allCases.flatMap { family in (keys[family] ?? []).indices.map { .entry(family, $0) } }
    }
}
