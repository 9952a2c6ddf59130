import KithCards

extension LinkDecisions {
    /// The cards without a uid that something was said of and that were known by their names, which several cards of
    /// their source have now: nobody can tell which of them was meant.
    func ambiguous(among cards: [FiledCard]) -> Set<ID> {
        var ambiguous: Set<ID> = []
        let named = named.filter { $0.rawValue.contains("/" + CardNames.nameMark) }
        guard !named.isEmpty else { return [] }
        let missing = named.subtracting(cards.lazy.map(\.id))
        for source in missing.isEmpty ? [] : Set(cards.map(\.source)) {
            var counts: [ID: Int] = [:]
            for card in cards where card.source == source && card.card.uid?.isEmpty ?? true {
                guard let name = CardLikeness.name(of: card.card) else { continue }
                counts[ID(rawValue: source.prefixOfIDs + CardNames.byName(name)), default: 0] += 1
            }
            ambiguous.formUnion(missing.filter { counts[$0, default: 0] > 1 })
        }
        return ambiguous
    }
}
