/// Selects one of several properties that hold the same information in different languages.
///
/// Such properties have the same name and the same ALTID (RFC 6350, section 5.4). The one without LANGUAGE is read,
/// else the one in the card's language, else the first. The others stay in the vCard; RFC 9555 turns them into
/// localizations. A property that only gives the pronunciation of another one is not read.
struct Alternatives {
    private struct Key: Hashable {
        let name: VCard.PropertyName
        let alternative: String
    }

    private let vCard: VCard
    /// Computed on first use, because few cards have an ALTID.
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
    /// Whether the property gives the pronunciation of another property with the same name (RFC 9554, section 4.6).
    var isSound: Bool { self["PHONETIC"] != nil }
}
