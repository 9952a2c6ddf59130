/// Finds the parts of a card that properties only repeat. JSContact keeps such properties because of their parameters.
///
/// Parts are found by their content in one step, because a card can have many parts and many such properties.
struct CompanionSearch {
    /// The first part with a text, by the aspect that holds it.
    private var texts: [Aspect: [String: CardPart]] = [:]
    /// The first anniversary of each kind, and its index.
    private var days: [Card.Anniversary.Kind: (index: Int, place: Card.Anniversary.Place?)] = [:]
    /// The first relation to each agent.
    private var agents: [String: CardPart] = [:]
    private var labels: LabelSearch

    init(of card: Card) {
        labels = LabelSearch(of: card)
        for (index, address) in card.addresses.enumerated() {
            let part = CardPart.entry(.address, index)
            add(address.full, .fullAddress, part)
            add(address.coordinates, .coordinates, part)
            add(address.timeZone, .timeZone, part)
            add(address.countryCode, .countryCode, part)
        }
        for component in card.name.components { add(component.phonetic, .phonetic(component.kind), .name) }
        if card.name.sortAs.count == 1 { add(card.name.sortAs[.surname], .sortAs, .name) }
        for (index, day) in card.anniversaries.enumerated() where days[day.kind] == nil {
            days[day.kind] = (index, day.place)
        }
        for (index, relation) in card.relatedTo.enumerated()
        where relation.relations.contains("agent") && agents[relation.other] == nil {
            agents[relation.other] = .entry(.relation, index)
        }
    }

    private mutating func add(_ text: String?, _ aspect: Aspect, _ part: CardPart) {
        guard let text, texts[aspect]?[text] == nil else { return }
        texts[aspect, default: [:]][text] = part
    }

    /// The part and the aspect of the card that a property only repeats; nil if it does not.
    func companion(_ property: VCard.NewProperty) -> (part: CardPart, aspect: Aspect)? {
        guard let name = VCard.PropertyName(rawValue: property.name.uppercased()), let text = property.plainText else {
            return nil
        }
        switch name {
        case .xABLabel: return labels.part(in: property.group, text).map { ($0, .label) }
        case .label: return part(text, .fullAddress)
        case .geo: return part(AddressLayout.coordinates(text), .coordinates)
        case .tz: return part(AddressLayout.timeZone(text), .timeZone)
        case .xABADR: return part(AddressLayout.countryCode(text), .countryCode)
        case .sortString: return part(text, .sortAs)
        case .xPhoneticFirstName: return part(text, .phonetic(.given))
        case .xPhoneticMiddleName: return part(text, .phonetic(.given2))
        case .xPhoneticLastName: return part(text, .phonetic(.surname))
        case .birthPlace: return place(of: .birth, text)
        case .deathPlace: return place(of: .death, text)
        default: return nil
        }
    }

    private func part(_ text: String?, _ aspect: Aspect) -> (part: CardPart, aspect: Aspect)? {
        text.flatMap { texts[aspect]?[$0] }.map { ($0, aspect) }
    }

    private func place(of kind: Card.Anniversary.Kind, _ text: String) -> (part: CardPart, aspect: Aspect)? {
        guard let day = days[kind] else { return nil }
        let part = CardPart.entry(.anniversary, day.index)
        if day.place?.full == text { return (part, .place) }
        return day.place?.coordinates == text ? (part, .placeCoordinates) : nil
    }

    /// The relation that refers to this agent; nil if there is none.
    func part(of agent: VCard) -> CardPart? { Card(agent).agentName.flatMap { agents[$0] } }

    /// Gives a label to the next entry of a group for which JSContact has no label field; nil if there is none.
    mutating func adopt(_ label: String, in group: String) -> CardPart? { labels.adopt(label, in: group) }
}

/// The labels of a card's entries, by the groups of the entries.
private struct LabelSearch: FamilyVisitor {
    private struct Key: Hashable {
        let group: String
        let label: String
    }

    private let card: Card
    /// The first entry with a label in a group.
    private var parts: [Key: CardPart] = [:]
    /// The entries of a group without a label, which JSContact could not write; the first one is the last here.
    private var unlabelled: [String: [CardPart]] = [:]

    init(of card: Card) {
        self.card = card
        visitAll()
        expectLabels(card.anniversaries, .anniversary) { $0.label }
        expectLabels(card.relatedTo, .relation) { $0.label }
        expectLabels(card.addresses, .address) { $0.label }
    }

    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family) {
        for (index, entry) in card[keyPath: path].enumerated() {
            guard let group = entry.group, let label = label(of: entry) else { continue }
            let key = Key(group: group, label: label)
            if parts[key] == nil { parts[key] = .entry(family, index) }
        }
    }

    private mutating func expectLabels<Entry: CardEntry>(
        _ entries: [Entry], _ family: CardPart.Family, label: (Entry) -> String?
    ) {
        for (index, entry) in entries.enumerated().reversed() where label(entry) == nil {
            if let group = entry.group { unlabelled[group, default: []].append(.entry(family, index)) }
        }
    }

    private func label(of entry: some CardEntry) -> String? {
        switch entry {
        case let entry as any LabelledEntry: entry.label
        case let entry as Card.Relation: entry.label
        case let entry as Card.Anniversary: entry.label
        default: nil
        }
    }

    /// The first entry in this group with this label.
    func part(in group: String?, _ text: String) -> CardPart? {
        guard let group = group?.lowercased() else { return nil }
        return parts[Key(group: group, label: Label(text.trimmedASCII).words)]
    }

    mutating func adopt(_ label: String, in group: String) -> CardPart? {
        guard let part = unlabelled[group]?.popLast() else { return nil }
        let key = Key(group: group, label: label)
        if parts[key].map({ part.precedes($0) }) ?? true { parts[key] = part }
        return part
    }
}

extension CardPart {
    /// Whether it comes before another entry of the card.
    fileprivate func precedes(_ other: CardPart) -> Bool {
        guard case (.entry(let family, let index), .entry(let otherFamily, let otherIndex)) = (self, other) else {
            return false
        }
        return (family.rawValue, index) < (otherFamily.rawValue, otherIndex)
    }
}

extension CardEntry {
    /// The group that ties it to properties outside the card, in small letters.
    fileprivate var group: String? { vCardParameters["GROUP"].first?.lowercased() }
}

extension VCard.NewProperty {
    /// The value if it is one text, else nil.
    var plainText: String? {
        switch value {
        case .text(let text), .plain(let text): text
        default: nil
        }
    }
}
