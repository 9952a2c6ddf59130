/// Which of several properties that say the same in several languages is read.
///
/// They have one name and one ALTID (RFC 6350, section 5.4). The one in the
/// card's language is read. The others stay in the vCard; RFC 9555 makes
/// localizations of them. What only says how another one sounds is not read.
struct Alternatives {
    private struct Key: Hashable {
        let name: VCard.PropertyName
        let alternative: String
    }

    private let vCard: VCard
    /// Worked out when a first property has an ALTID: few cards have any.
    private lazy var best = Self.best(of: vCard)

    init(of vCard: VCard) { self.vCard = vCard }

    private static func best(of vCard: VCard) -> [Key: (rank: Int, index: Int)] {
        var best: [Key: (rank: Int, index: Int)] = [:]
        let language = vCard.properties.first { $0.knownName == .language }?.text
        for (index, written) in vCard.properties.enumerated() {
            guard let name = written.knownName else { continue }
            let property = CardProperty(written, name, at: index)
            guard let key = key(of: property), !property.isSound else { continue }
            let rank = property["LANGUAGE"].map { $0 == language ? 1 : 2 } ?? 0
            if rank < best[key]?.rank ?? 3 { best[key] = (rank, index) }
        }
        return best
    }

    private static func key(of property: CardProperty) -> Key? {
        property["ALTID"].map { Key(name: property.name, alternative: $0) }
    }

    mutating func isMain(_ property: CardProperty) -> Bool {
        if property.isSound { return false }
        guard let key = Self.key(of: property) else { return true }
        return best[key]?.index == property.index
    }
}

extension CardProperty {
    /// Whether it says how another one of its name sounds (RFC 9554, section 4.6).
    var isSound: Bool { self["PHONETIC"] != nil }
}
