// An agent is someone who acts for the person on the card. Versions 2.1 and 3.0 write AGENT, whose value can be a card.
// Version 4.0 writes RELATED with the type `agent`; here its value is the text of that card.

extension VCard.Property {
    /// The agent's card; nil if the property is no agent, or refers to the agent without a card.
    var agent: VCard? {
        guard knownName.map({ VCard.Parameters.areOfAgent($0, parameters) }) == true else { return nil }
        return isNested || text.trimmedASCII.hasPrefixIgnoringCase("BEGIN:VCARD") ? card : nil
    }
}

extension VCard.NewProperty {
    /// The agent's card; nil if the property is no agent, or refers to the agent without a card.
    var agent: VCard? {
        guard let name = VCard.PropertyName(rawValue: name.uppercased()),
            VCard.Parameters.areOfAgent(name, parameters), case .text(let text) = value,
            text.trimmedASCII.hasPrefixIgnoringCase("BEGIN:VCARD")
        else { return nil }
        return try? VCard(Array(text.utf8))
    }

    /// The same property with another value.
    func with(_ value: VCard.Value) -> Self { Self(name, value, parameters, group: group) }
}

extension VCard.Parameters {
    /// Whether a property with this name and these parameters is an agent.
    fileprivate static func areOfAgent(_ name: VCard.PropertyName, _ parameters: @autoclosure () -> Self) -> Bool {
        switch name {
        case .agent: true
        case .related: parameters()["TYPE"].contains { $0.lowercased() == "agent" }
        default: false
        }
    }
}

extension Card {
    /// The text by which another card refers to this one as an agent: its name, or else a substitute.
    var agentName: String? { name.displayText ?? anyName }
}
