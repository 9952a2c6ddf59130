extension VCard {
    /// A new vCard with everything in another one, as far as the version can express it. This includes embedded data
    /// and properties outside the model. Of damaged embedded data, what can be decoded.
    ///
    /// If both have the same version, a part stays in the property that held it, even if other programs use another
    /// one.
    package init(_ vCard: VCard, version: Version) {
        let reading = CardBuilder(of: vCard)
        var card = reading.wholeCard
        let lists = reading.lists(takenFrom: &card, version)
        // Versions before 4.0 have one name. Its form in another language has a full name too, which stays.
        let unread = reading.unread.filter { version == .v4_0 || $0.knownName != .n }.compactMap { NewProperty($0) }
        let keepsakes = reading.keepsakes(for: unread, version)
        self.init(card, version: version, beside: lists + unread, keepsakes: keepsakes)
    }

    /// A new vCard for `card`, followed by these properties.
    init(
        _ card: Card, version: Version, beside others: [NewProperty], keepsakes: [CardPart: CardPatch.Keepsake] = [:]
    ) {
        self.init(version: version)
        let taken = others.compactMap(\.group) + card.groups
        let reading = CardBuilder(of: self)
        var edits = CardPatch(of: self, reading, to: card, .write, taken: taken, keepsakes: keepsakes).edits
        for property in others { edits.insert(property, before: places.count) }
        edits.perform(on: &self)
    }
}

extension VCard {
    /// The card with the full name that versions 3.0 and 4.0 require. If its program gave none, it is derived from the
    /// other parts of the card.
    package var withFullName: VCard {
        guard version != .v2_1, !properties.contains(where: { $0.knownName == .fn }) else { return self }
        let card = Card(self)
        guard let name = card.name.displayText ?? card.anyName else { return self }
        var named = self
        named.append("FN", .text(name), parameters: version == .v4_0 ? ["DERIVED": ["TRUE"]] : [:])
        return named
    }
}

extension CardPatch {
    /// What a rewritten part keeps of its old properties.
    struct Keepsake {
        var group: String?
        /// The parameters that the card does not carry itself.
        var parameters = VCard.Parameters()
        /// The parameters of its companion properties.
        var companions: [Aspect: VCard.Parameters] = [:]
        /// The label as written. One of Apple's predefined labels stays one, so that devices translate it.
        var label: String?
        /// The old property, if its vCard has the same version.
        var property: VCard.Property?
        /// The aspects that separate properties held, if their vCard has the same version.
        var apart: Set<Aspect> = []
        /// The nested card of an agent, in the version to write.
        var agent: VCard?
    }
}

extension CardBuilder {
    /// The groups of these properties, by the part of the card to which they belong.
    func groups(of unread: [VCard.NewProperty]) -> [CardPart: String] {
        var owners: [CardPart: String] = [:]
        for group in Set(unread.compactMap { $0.group?.lowercased() }) {
            let parts = groups[group] ?? []
            guard let part = parts.first(where: { $0.place(in: .organization) != nil }) ?? parts.first else { continue }
            owners[part] = group
        }
        return owners
    }

    /// What the card's parts keep: what ties these properties to them, and parameters that the entries do not carry.
    fileprivate func keepsakes(
        for unread: [VCard.NewProperty], _ version: VCard.Version
    ) -> [CardPart: CardPatch.Keepsake] {
        var keepsakes = groups(of: unread).mapValues { CardPatch.Keepsake(group: $0) }
        let alternatives = Set(unread.flatMap { $0.parameters["ALTID"] })
        for place in places where !place.part.isListed && place.part.place(in: .member) == nil {
            var keepsake = keepsakes[place.part] ?? CardPatch.Keepsake()
            let property = vCard.properties[place.property]
            guard let name = property.knownName else { continue }
            let read = CardProperty(property, name, at: place.property)
            if place.aspect == .itself {
                if version == vCard.version { keepsake.property = property }
                if place.part.isPlain { keepsake.parameters = read.carried(by: place.part) }
                if place.part.family == .relation {
                    keepsake.agent = property.agent.map { VCard($0, version: version) }
                }
                // The same number ties the name to its unread forms in other languages.
                let altID = read.parameters["ALTID"]
                if place.part == .name, altID.contains(where: alternatives.contains) {
                    keepsake.parameters["ALTID"] = altID
                }
            } else {
                if version == vCard.version { keepsake.apart.insert(place.aspect) }
                keepsake.companions[place.aspect] = read.carried(beside: place.aspect)
                if place.aspect == .label { keepsake.label = read.text }
            }
            keepsakes[place.part] = keepsake
        }
        return keepsakes
    }

    /// The properties of categories and members whose parameters the card does not carry. Their values are removed from
    /// `card`, because these properties are written unchanged.
    fileprivate func lists(takenFrom card: inout Card, _ version: VCard.Version) -> [VCard.NewProperty] {
        var lists: [VCard.NewProperty] = []
        var (keywords, members): (Set<String>, Set<String>) = ([], [])
        var written: Set<Int> = []
        for place in places where place.part.place(in: .keyword) != nil || place.part.place(in: .member) != nil {
            let property = vCard.properties[place.property]
            guard let name = property.knownName,
                !CardProperty(property, name, at: place.property).carried(by: place.part).isEmpty,
                let list = VCard.NewProperty(property)
            else { continue }
            if let index = place.part.place(in: .keyword) { keywords.insert(self.card.keywords[index]) }
            if let index = place.part.place(in: .member) { members.insert(self.card.members[index]) }
            guard written.insert(place.property).inserted else { continue }
            lists.append(name == .categories ? list : list.named(.memberName(in: version)))
        }
        card.keywords.removeAll(where: keywords.contains)
        card.members.removeAll(where: members.contains)
        return lists
    }
}

extension VCard.NewProperty {
    /// A copy of a property of another vCard, with its parameters and its name as written.
    init?(_ property: VCard.Property) {
        guard var new = Self(jCard: property.jCard) else { return nil }
        if let agent = property.agent {
            new = Self(property.writtenName, .card(VCard(agent, version: property.version)), new.parameters)
        }
        var parameters = property.parameters
        for name in ["ENCODING", "CHARSET", "VALUE"] { parameters[name] = new.parameters[name] }
        self.init(property.writtenName, new.value, parameters, group: property.group)
    }

    fileprivate func named(_ name: VCard.PropertyName) -> Self {
        Self(name.rawValue, value, parameters, group: group)
    }
}

extension VCard.PropertyName {
    /// The property for the members of a group.
    static func memberName(in version: VCard.Version) -> Self {
        version == .v4_0 ? .member : .xAddressBookServerMember
    }
}

/// Collects the groups that are recorded in a card's entries, and removes them from the card.
private struct Groups: FamilyVisitor {
    var card: Card
    var groups: [String] = []

    init(of card: Card) {
        self.card = card
        visitAll()
    }

    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family) {
        for index in card[keyPath: path].indices {
            let group = card[keyPath: path][index].vCardParameters["GROUP"]
            guard !group.isEmpty else { continue }
            groups += group
            card[keyPath: path][index].vCardParameters["GROUP"] = []
        }
    }
}

extension Card {
    /// The groups recorded in its entries, which tie properties outside the model to them.
    fileprivate var groups: [String] { Groups(of: self).groups }

    /// The same card, without groups in its entries. An existing vCard keeps its own groups.
    var ungrouped: Card { Groups(of: self).card }
}
