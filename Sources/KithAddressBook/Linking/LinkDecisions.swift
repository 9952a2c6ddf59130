import KithCards

/// The user's decisions on which cards are one contact and which are not.
///
/// A decision is about a pair of cards, and the latest one about a pair counts. It is stored with the cards' ids, so it
/// survives loads, restarts and later links of these cards.
struct LinkDecisions: Hashable, Sendable {
    typealias ID = Contact.ID

    /// Two cards, in the order of their ids.
    struct Pair: Hashable, Sendable {
        let first: ID
        let second: ID

        init(_ one: ID, _ other: ID) {
            (first, second) = one.rawValue < other.rawValue ? (one, other) : (other, one)
        }
    }

    /// Whether two cards are one contact.
    struct Decision: Hashable, Sendable {
        let pair: Pair
        let isTogether: Bool
    }

    /// The linked pairs, the latest first.
    private(set) var together: [Pair] = []
    private(set) var apart: Set<Pair> = []

    /// The maximum number of cards in one decision, because every pair of them is stored.
    static let mostCards = 100

    init() {}

    var isEmpty: Bool { together.isEmpty && apart.isEmpty }

    /// All cards with decisions.
    var named: Set<ID> { Set((together + apart).flatMap { [$0.first, $0.second] }) }

    /// Adds decisions, the latest last.
    mutating func take(_ decisions: [Decision]) {
        let pairs = Set(decisions.map(\.pair))
        together.removeAll(where: pairs.contains)
        apart.subtract(pairs)
        apart.formUnion(decisions.filter { !$0.isTogether }.map(\.pair))
        together = decisions.reversed().filter(\.isTogether).map(\.pair) + together
    }

    /// Removes the decisions on the cards of a source.
    mutating func forget(_ source: SourceID) {
        func isOf(_ pair: Pair) -> Bool { pair.first.isOf(source) || pair.second.isOf(source) }
        together.removeAll(where: isOf)
        apart = apart.filter { !isOf($0) }
    }

    /// Removes the decisions on these cards.
    mutating func forget(_ cards: Set<ID>) {
        func isOf(_ pair: Pair) -> Bool { cards.contains(pair.first) || cards.contains(pair.second) }
        together.removeAll(where: isOf)
        apart = apart.filter { !isOf($0) }
    }

    // MARK: Deciding

    /// Decides that all these cards are one contact.
    static func link(_ cards: [ID]) -> [Decision] { pairs(of: cards).map { Decision(pair: $0, isTogether: true) } }

    /// Decides that each of these cards is a separate contact.
    static func part(_ cards: [ID]) -> [Decision] { pairs(of: cards).map { Decision(pair: $0, isTogether: false) } }

    /// Decides that this card belongs to a different contact than the others.
    static func part(_ card: ID, from others: [ID]) -> [Decision] {
        others.filter { $0 != card }.map { Decision(pair: Pair(card, $0), isTogether: false) }
    }

    private static func pairs(of cards: [ID]) -> [Pair] {
        cards.indices.flatMap { index in cards[(index + 1)...].map { Pair(cards[index], $0) } }
    }
}

extension LinkDecisions {
    /// The cards with decisions that were referred to by their names, where several cards of the source now have that
    /// name. The decisions could be about any of them.
    func ambiguous(among cards: [IndexedCard]) -> Set<ID> {
        var ambiguous: Set<ID> = []
        let named = named.filter { $0.rawValue.contains("/" + CardNames.nameMark) }
        guard !named.isEmpty else { return [] }
        let missing = named.subtracting(cards.lazy.map(\.id))
        for source in missing.isEmpty ? [] : Set(cards.map(\.source)) {
            var counts: [ID: Int] = [:]
            for card in cards where card.source == source && card.card.uid?.isEmpty ?? true {
                guard let name = CardSimilarity.name(of: card.card) else { continue }
                counts[ID(rawValue: source.prefixOfIDs + CardNames.byName(name)), default: 0] += 1
            }
            ambiguous.formUnion(missing.filter { counts[$0, default: 0] > 1 })
        }
        return ambiguous
    }
}
