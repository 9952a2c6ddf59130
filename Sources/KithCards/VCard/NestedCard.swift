/// Where a card stands within another one, and what it belongs to there, counted from the start of the outer one.
struct NestedCard {
    /// Where the line begins of the AGENT whose value the card is; the card's own start if it is the value of none.
    let start: Int
    /// From its BEGIN to its END; to the end of the card around it if it has none.
    let range: Range<Int>

    /// Whether it is the value of an AGENT.
    var isValue: Bool { start < range.lowerBound }
}
