/// What one property of a vCard is to say of a card, in the words of its version.
struct PropertyDraft: Hashable {
    enum Value: Hashable {
        case of(VCard.Value)
        /// What stands in the card already, and cannot be rewritten.
        case embedded(digest: UInt64)
    }

    var name: VCard.PropertyName
    var parameters: VCard.Parameters
    var value: Value
    /// What other properties say of the same part. They share a group with this one.
    var companions: [Aspect: PropertyDraft] = [:]
    /// Whether it only repeats what other properties say, for readers that need it.
    var isDerived = false
    /// The id of the organization whose group it shares.
    var organization: String?
    /// The group that it is to be in, for the sake of properties that the model has no words for.
    var group: String?

    init(_ name: VCard.PropertyName, _ value: VCard.Value, _ parameters: VCard.Parameters = [:]) {
        (self.name, self.value, self.parameters) = (name, .of(value), parameters)
    }

    /// Puts parameters beside those that it has: what it says itself is not said twice, nor otherwise.
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
