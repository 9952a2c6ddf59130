import KithCards

/// A parsed card with its key and its position in the file.
struct ParsedCard: Sendable {
    let key: CardKey
    let card: Card
    /// The range of its bytes in the file.
    let place: Range<Int>
    let print: CardHash

    var likeness: CardSimilarity { CardSimilarity(key, card) }
}
