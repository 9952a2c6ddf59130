/// A property to write for a part of a card, in the form of the vCard's version.
struct PropertyDraft: Hashable {
    enum Value: Hashable {
        case of(VCard.Value)
        /// Data that is embedded in the vCard and stays there as written.
        case embedded(digest: UInt64)
    }

    var name: VCard.PropertyName
    var parameters: VCard.Parameters
    var value: Value
    /// The companion properties of the same part. Most of them share a group with this property.
    var companions: [Aspect: PropertyDraft] = [:]
    /// Whether it only repeats other properties, for readers that require it.
    var isDerived = false
    /// Whether only its companions are written.
    var isOmitted = false
    /// The id of the organization whose group it shares.
    var organization: String?
    /// The group to write it in, which ties properties outside the model to it.
    var group: String?

    init(_ name: VCard.PropertyName, _ value: VCard.Value, _ parameters: VCard.Parameters = [:]) {
        (self.name, self.value, self.parameters) = (name, .of(value), parameters)
    }

    /// Companions in a stable order: by name, and a place in words before its coordinates.
    static func ordered(_ companions: [Aspect: PropertyDraft]) -> [(aspect: Aspect, draft: PropertyDraft)] {
        companions.map { ($0.key, $0.value) }.sorted { left, right in
            let (leftName, rightName) = (left.draft.name.rawValue, right.draft.name.rawValue)
            return leftName != rightName ? leftName < rightName : left.aspect == .place && right.aspect != .place
        }
    }

    /// Adds parameters, except those that the draft already sets.
    mutating func carry(_ carried: VCard.Parameters) {
        for parameter in carried {
            if parameter.name == "TYPE" {
                let said = Set(parameters["TYPE"].map { $0.lowercased() })
                parameters["TYPE"] += parameter.values.filter { !said.contains($0.lowercased()) }
            } else if parameter.name == "GROUP" {
                group = parameter.values.first
            } else if parameters[parameter.name].isEmpty {
                parameters.append(parameter)
            }
        }
    }
}
