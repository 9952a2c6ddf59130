/// Sorts the entries that a card shares with another card into the order of the other card.
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

/// Gives the entries the ids of the entries at the same indices in another card. A family with another number of
/// entries there is copied from that card.
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
    /// The keys that identify the entries of each family, in order.
    var keys: [CardPart.Family: [String]] {
        Dictionary(uniqueKeysWithValues: CardPart.Family.table.map { ($0.family, $0.keys(in: self)) })
    }

    /// The same card, with the entries that it shares with `other` in the order of `other`.
    func ordered(as other: Card) -> Card {
        var ordering = Ordering(card: self, other: other)
        ordering.visitAll()
        return ordering.card
    }

    /// The same card, with the ids of the entries at the same indices in `other`.
    func aligned(with other: Card) -> Card {
        var alignment = Alignment(card: self, other: other)
        alignment.visitAll()
        return alignment.card.withTitles(in: self)
    }

    /// The same card, with its titles in the organizations at the same indices as in `old`.
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
    /// The parts, in the order in which a new vCard lists them.
    var parts: [CardPart] {
        let keys = keys
        return [.productID, .uid, .kind, .language, .fullName, .name, .grammaticalGender, .created, .updated]
            + CardPart.Family.allCases.flatMap { family in (keys[family] ?? []).indices.map { .entry(family, $0) } }
    }
}
