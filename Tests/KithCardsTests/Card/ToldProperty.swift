import KithCards
import Testing

/// What a property says besides its value: its name, its types and its parameters, without what says how the value is
/// written.
struct ToldProperty {
    var name: String
    /// Its group in the vCard, which a conversion may call otherwise.
    var group: String?
    /// The words of TYPE in small letters, and `pref` for the number that version 4.0 has for it.
    var types: Set<String> = []
    /// The values of each other parameter, by its name in capitals.
    var parameters: [String: [String]] = [:]
    /// A part of its value, where there are several of which each could be a property: one category of many.
    var part = ""

    init(_ name: String) { self.name = name }

    /// What a vCard tells, property by property; those without a value tell nothing.
    static func all(of vCard: VCard) -> [ToldProperty] {
        vCard.properties.flatMap { property -> [ToldProperty] in
            let isBlank = property.text.allSatisfy { $0.isWhitespace || $0 == ";" || $0 == "," }
            // A name that was made for readers that need one says nothing.
            let isDerived = property.parameters["DERIVED"].first?.lowercased() == "true"
            guard property.name != "VERSION", !isBlank, !isDerived else { return [] }
            var told = ToldProperty(property.name)
            told.group = property.group?.lowercased()
            for parameter in property.parameters {
                switch parameter.name {
                case "ENCODING", "CHARSET", "VALUE": break
                case "TYPE": told.types.formUnion(parameter.values.map { $0.lowercased() })
                case "PREF" where parameter.values == ["1"]: told.types.insert("pref")
                default: told.parameters[parameter.name] = parameter.values
                }
            }
            guard ["CATEGORIES", "NICKNAME"].contains(told.name) else { return [told] }
            return Set(property.list).map { part in
                var told = told
                told.part = part
                return told
            }
        }
    }
}

extension ToldProperty: Hashable {
    static func == (left: Self, right: Self) -> Bool {
        (left.name, left.types, left.parameters, left.part) == (right.name, right.types, right.parameters, right.part)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(types)
    }
}

extension ToldProperty: CustomTestStringConvertible, CustomStringConvertible {
    var description: String {
        let types = types.isEmpty ? "" : ";TYPE=\(types.sorted().joined(separator: ","))"
        let others = parameters.sorted { $0.key < $1.key }.map { ";\($0.key)=\($0.value.joined(separator: ","))" }
        return name + types + others.joined() + (part.isEmpty ? "" : ":" + part)
    }
    var testDescription: String { description }
}
