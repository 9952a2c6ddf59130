/// Which words of TYPE, and which number of PREF, the model has words for.
struct WordKinds: OptionSet {
    let rawValue: UInt8

    static let contexts = WordKinds(rawValue: 1)
    static let features = WordKinds(rawValue: 2)
    static let preference = WordKinds(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// For entries that have their place in someone's life.
    static let placed: WordKinds = [.contexts, .preference]

    /// Those that the model has words for where a property says this part.
    init(of part: CardPart) { self = part.family.map { Self.ofFamilies[Int($0.rawValue)] } ?? [] }

    private static let ofFamilies = CardPart.Family.table.map(\.words)
}
