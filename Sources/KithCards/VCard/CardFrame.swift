/// The end of a card and the ranges of its nested cards, relative to its start.
///
/// Only ``CardCutter`` determines them, for cards that are read, edited or written. The search for properties uses
/// them.
struct CardFrame {
    /// The start of the line of END; the end of the card if it has none.
    let end: Int
    /// The directly nested cards, in order.
    let nested: [NestedCard]
    /// The number of missing END lines, of the card and of its nested cards.
    let missingEnds: Int
}
