/// In which words a property is written: those of its version, and of the property that says the same so far.
struct VCardWriter {
    let version: VCard.Version
    /// The property that says the same part, if there is one.
    var existing: VCard.Property?
    /// What properties of their own say of the part.
    var apart: Set<Aspect> = []
    /// The place of the entry in a card that is written for the first time, by which its id is made again.
    var place: Int?

    var isOld: Bool { version != .v4_0 }

    /// Whether a parameter says this, as in version 4.0, or a property of its own, as before.
    func isParameter(_ name: String, _ aspect: Aspect) -> Bool {
        if apart.contains(aspect) { return false }
        return !isOld || existing.map { !$0.parameters[name].isEmpty } ?? false
    }

    /// The parameters of an entry that has its place in someone's life.
    func parameters(_ words: [String], pref: Int? = nil, id: String, _ family: CardPart.Family) -> VCard.Parameters {
        var parameters = VCard.Parameters()
        var types = words
        // The versions before 4.0 know what is preferred, but not in which order.
        let isNumbered = !isOld || existing?.parameters["PREF"].isEmpty == false
        if pref == 1, !isNumbered { types.append("pref") }
        parameters["TYPE"] = isOld ? types.map { $0.uppercased() } : types
        if let pref, isNumbered { parameters["PREF"] = [String(pref)] }
        if !isOld, !family.makes(id) || place.map({ family.id(at: $0) != id }) ?? false { parameters["PROP-ID"] = [id] }
        return parameters
    }

    func parameters(of entry: some PlacedEntry, _ family: CardPart.Family, _ words: [String] = []) -> VCard.Parameters {
        parameters(words + entry.contexts.words, pref: entry.pref, id: entry.id, family)
    }
}

extension Set<Card.Context> {
    /// The words of TYPE for these, in an order that is always the same.
    var words: [String] { Card.Context.allCases.filter(contains).map(\.typeWord) }
}

extension Set<Card.Phone.Feature> {
    /// The words of TYPE for these, in an order that is always the same.
    var words: [String] { Card.Phone.Feature.allCases.filter(contains).map(\.typeWord) }
}
