/// The range of a nested card and of its AGENT, relative to the start of the outer card.
struct NestedCard {
    /// The start of the line of the AGENT that has the card as its value; without one, the start of the card.
    let start: Int
    /// From BEGIN to END; without END, to the end of the outer card.
    let range: Range<Int>

    /// Whether it is the value of an AGENT.
    var isValue: Bool { start < range.lowerBound }
}
