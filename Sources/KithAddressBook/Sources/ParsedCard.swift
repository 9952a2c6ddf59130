import KithCards

/// A parsed card with its key and its position in the file.
struct ParsedCard: Sendable {
    let key: CardKey
    let card: Card
    let alternatives: [Card.Alternative]
    /// The range of its bytes in the file.
    let place: Range<Int>
    let hash: CardHash

    var similarity: CardSimilarity { CardSimilarity(key, card) }
}
