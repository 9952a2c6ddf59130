extension VCard {
    /// A new vCard that says all of another one, what is embedded and what the model has no words for included, as far
    /// as its version can. What is embedded and cannot be decoded is left out.
    package init(_ vCard: VCard, version: Version) {
        let reading = CardReading(of: vCard)
        let unread = reading.unread.compactMap { NewProperty(jCard: $0.jCard) }
        self.init(reading.wholeCard, version: version, beside: unread, keepsakes: reading.keepsakes(for: unread))
    }

    /// A new vCard that says `card`, and these properties behind it.
    init(
        _ card: Card, version: Version, beside others: [NewProperty], keepsakes: [CardPart: CardPatch.Keepsake] = [:]
    ) {
        self.init(version: version)
        let taken = others.compactMap(\.group)
        let reading = CardReading(of: self)
        var edits = CardPatch(of: self, reading, to: card, .write, taken: taken, keepsakes: keepsakes).edits
        for property in others { edits.insert(property, before: places.count) }
        edits.perform(on: &self)
    }
}

extension CardPatch {
    /// What a part that is written anew keeps of the property that said it.
    struct Keepsake {
        var group: String?
        var parameters = VCard.Parameters()
    }
}

extension CardReading {
    /// What the parts of the card must keep so that these properties go on to belong to them: their groups, and that
    /// they say the same in another language.
    fileprivate func keepsakes(for unread: [VCard.NewProperty]) -> [CardPart: CardPatch.Keepsake] {
        var keepsakes: [CardPart: CardPatch.Keepsake] = [:]
        for group in Set(unread.compactMap { $0.group?.lowercased() }) {
            let parts = groups[group] ?? []
            guard let part = parts.first(where: { $0.place(in: .organization) != nil }) ?? parts.first else { continue }
            keepsakes[part] = CardPatch.Keepsake(group: group)
        }
        let alternatives = Set(unread.flatMap { $0.parameters["ALTID"] })
        guard !alternatives.isEmpty else { return keepsakes }
        for place in places where place.aspect == .itself && !place.part.isListed {
            let parameters = vCard.properties[place.property].parameters
            guard let id = parameters["ALTID"].first, alternatives.contains(id) else { continue }
            for name in ["ALTID", "LANGUAGE"] {
                keepsakes[place.part, default: CardPatch.Keepsake()].parameters[name] = parameters[name]
            }
        }
        return keepsakes
    }
}
