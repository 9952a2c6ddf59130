extension VCardWriter {
    /// What a property is to say of a part of a card; nil if there is nothing to say, or no way to say it.
    func draft(of part: CardPart, in card: Card) -> PropertyDraft? {
        switch part {
        case .uid: card.uid.map { PropertyDraft(.uid, $0.isURI ? .plain($0) : .text($0)) }
        case .kind: kind(card.kind)
        case .language: card.language.map { PropertyDraft(.language, .text($0)) }
        case .productID: card.productID.map { PropertyDraft(.prodID, .text($0)) }
        case .created: card.created.map { PropertyDraft(.created, .plain(timestamp($0))) }
        case .updated: card.updated.map { PropertyDraft(.rev, .plain(timestamp($0))) }
        case .fullName: fullName(of: card)
        case .name: name(of: card)
        case .grammaticalGender:
            card.speakToAs.grammaticalGender.map { PropertyDraft(.gramGender, .text($0.rawValue)) }
        case .entry(let family, let place): family.row.draft(of: place, in: card, by: self)
        }
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
