/// The smallest change of a property that turns one draft into another.
struct PropertyPatch {
    let value: VCard.Value?
    let parameters: VCard.Parameters?

    /// Nil if the property must be rewritten, because its name or its embedded data changes.
    init?(of property: VCard.Property, from old: PropertyDraft, to new: PropertyDraft) {
        guard old.name == new.name else { return nil }
        switch (old.value, new.value) {
        case (let old, let new) where old == new: value = nil
        case (.of(.components(let old)), .of(.components(let new))):
            value = .components(Self.components(property.ownComponents, from: old, to: new))
        case (_, .of(let new)): value = new
        default: return nil
        }
        let parameters = Self.parameters(property.parameters, from: old.parameters, to: new.parameters)
        self.parameters = parameters == property.parameters ? nil : parameters
    }

    /// The components of the property, of which only those that differ are replaced.
    private static func components(
        _ components: [[String]], from old: [[String]], to new: [[String]]
    ) -> [[String]] {
        (0..<max(components.count, new.count)).map { index in
            let (before, after) = (index < old.count ? old[index] : [], index < new.count ? new[index] : [])
            return before == after && index < components.count ? components[index] : after
        }
    }

    private static func parameters(
        _ parameters: VCard.Parameters, from old: VCard.Parameters, to new: VCard.Parameters
    ) -> VCard.Parameters {
        var patched = parameters
        for name in Set(old.map(\.name)).union(new.map(\.name)).sorted() where old[name] != new[name] {
            patched[name] = name == "TYPE" ? types(parameters[name], from: old[name], to: new[name]) : new[name]
        }
        return patched
    }

    /// The words of TYPE, without those that the new draft drops, and with those that it adds.
    private static func types(_ words: [String], from old: [String], to new: [String]) -> [String] {
        let (before, after) = (Set(old.map(meaning)), Set(new.map(meaning)))
        let kept = words.filter { !before.subtracting(after).contains(meaning($0)) }
        return kept + new.filter { !before.contains(meaning($0)) }
    }

    /// The same word for all words with one meaning.
    private static func meaning(_ word: String) -> String {
        let word = word.lowercased()
        return Card.Phone.Feature(typeWord: word)?.typeWord ?? word
    }
}

extension VCard.Property {
    /// The components of a structured value, as the property's version defines them.
    var ownComponents: [[String]] {
        switch knownName {
        case .adr: AddressLayout.components(of: self)
        case .n: NameLayout.components(of: self)
        default: components
        }
    }
}
