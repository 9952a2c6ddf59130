import KithCards

/// A card that is to be added to a source.
struct CardToAdd: Sendable {
    let vCard: VCard
    let card: Card
    let similarity: CardSimilarity

    init(_ vCard: VCard) {
        self.vCard = vCard
        card = Card(vCard)
        similarity = CardSimilarity(CardKey(vCard, uid: card.uid), card)
    }
}

extension [CardToAdd] {
    /// Those of these cards that have the uid and the name of a card in `there`, and the content of none.
    func differing(from there: some Sequence<(similarity: CardSimilarity, card: Card)>) -> [VCard] {
        guard !isEmpty else { return [] }
        let similarities = Set(map(\.similarity))
        var versions: [CardSimilarity: Set<Card>] = [:]
        for (similarity, card) in there where similarities.contains(similarity) {
            versions[similarity, default: []].insert(card.content)
        }
        return filter { versions[$0.similarity]?.contains($0.card.content) == false }.map(\.vCard)
    }
}

extension Card {
    /// The card without what only records when and by which program it was written.
    fileprivate var content: Card {
        var card = self
        (card.updated, card.productID) = (nil, nil)
        return card
    }
}
