/// Where a card ends, and where there are cards within it, counted from its start.
///
/// ``CardCutter`` alone decides this, for a card that is read, edited or
/// written. What finds the properties of a card goes by it.
struct CardFrame {
    /// Where the line of END begins; where the card ends if it has none.
    let end: Int
    /// The cards within it, but not those within these, in order.
    let nested: [NestedCard]
    /// How many lines of END are missing: those of the card and of cards within it that have begun and not ended.
    let missingEnds: Int
}
