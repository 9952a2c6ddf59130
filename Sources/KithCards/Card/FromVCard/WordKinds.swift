/// The kinds of values in TYPE and PREF that the model has fields for.
struct WordKinds: OptionSet {
    let rawValue: UInt8

    static let contexts = WordKinds(rawValue: 1)
    static let features = WordKinds(rawValue: 2)
    static let preference = WordKinds(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// For `PlacedEntry`.
    static let placed: WordKinds = [.contexts, .preference]

    /// The kinds that the model has fields for in this part.
    init(of part: CardPart) { self = part.family.map { Self.ofFamilies[Int($0.rawValue)] } ?? [] }

    private static let ofFamilies = CardPart.Family.table.map(\.words)
}
