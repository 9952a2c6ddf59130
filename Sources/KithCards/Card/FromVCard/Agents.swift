// Someone who acts for the one on the card: AGENT of versions 2.1 and 3.0, of which the value is a card, and RELATED of
// version 4.0 with the type `agent`, of which the value is here the text of that card.

extension VCard.Property {
    /// The card of an agent; nil if the property is none, or names the agent in another way.
    var agent: VCard? {
        guard knownName.map({ VCard.Parameters.areOfAgent($0, parameters) }) == true else { return nil }
        return isNested || text.trimmed.hasPrefixIgnoringCase("BEGIN:VCARD") ? card : nil
    }
}

extension VCard.NewProperty {
    /// The card of an agent; nil if the property is none, or names the agent in another way.
    var agent: VCard? {
        guard let name = VCard.PropertyName(rawValue: name.uppercased()),
            VCard.Parameters.areOfAgent(name, parameters), case .text(let text) = value,
            text.trimmed.hasPrefixIgnoringCase("BEGIN:VCARD")
        else { return nil }
        return try? VCard(Array(text.utf8))
    }

    /// The same property with another value.
    func with(_ value: VCard.Value) -> Self { Self(name, value, parameters, group: group) }
}

extension VCard.Parameters {
    /// Whether a property of this name and with these parameters tells of an agent.
    fileprivate static func areOfAgent(_ name: VCard.PropertyName, _ parameters: @autoclosure () -> Self) -> Bool {
        switch name {
        case .agent: true
        case .related: parameters()["TYPE"].contains { $0.lowercased() == "agent" }
        default: false
        }
    }
}

extension Card {
    /// What it calls someone who is an agent of another one: the name, or how to reach someone without any.
    var agentName: String? { name.displayText ?? anyName }

    /// The relation to this agent.
    func part(of agent: VCard) -> CardPart? {
        let name = Card(agent).agentName
        let place = relatedTo.firstIndex { $0.other == name && $0.relations.contains("agent") }
        return place.map { .entry(.relation, $0) }
    }
}
