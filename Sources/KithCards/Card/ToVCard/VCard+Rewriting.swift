extension VCard {
    /// A new vCard that says all of another one, what is embedded and what the model has no words for included, as far
    /// as its version can. What is embedded and cannot be decoded is left out.
    ///
    /// In the version of the other one, what programs have several properties for stays in the one that it was in.
    package init(_ vCard: VCard, version: Version) {
        let reading = CardBuilder(of: vCard)
        var card = reading.wholeCard
        let lists = reading.lists(takenFrom: &card, version)
        let unread = reading.unread.compactMap { NewProperty($0) }
        let keepsakes = reading.keepsakes(for: unread, version)
        self.init(card, version: version, beside: lists + unread, keepsakes: keepsakes)
    }

    /// A new vCard that says `card`, and these properties behind it.
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

extension CardPatch {
    /// What a part that is rewritten keeps of the properties that said it.
    struct Keepsake {
        var group: String?
        /// The parameters that the card does not carry itself.
        var parameters = VCard.Parameters()
        /// Those of what stands beside it.
        var companions: [Aspect: VCard.Parameters] = [:]
        /// The property that said it, if that was one of the same version.
        var property: VCard.Property?
        /// What properties of their own said of it in a vCard of the same version.
        var apart: Set<Aspect> = []
        /// The card within the card that an agent is, in the version that is written.
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

    /// What the parts of the card must keep so that these properties go on to belong to them, and that the entries do
    /// not carry.
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
                // Of a name and its sound, those in other languages are told by the same number.
                let altID = read.parameters["ALTID"]
                if place.part == .name, altID.contains(where: alternatives.contains) {
                    keepsake.parameters["ALTID"] = altID
                }
            } else {
                if version == vCard.version { keepsake.apart.insert(place.aspect) }
                keepsake.companions[place.aspect] = read.carried(beside: place.aspect)
            }
            keepsakes[place.part] = keepsake
        }
        return keepsakes
    }

    /// The properties of categories and members with parameters that the card does not carry. They are taken out of
    /// `card`, to be written as they are.
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
    /// A property of another vCard, with its parameters, and its name as it was written.
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
    fileprivate static func memberName(in version: VCard.Version) -> Self {
        version == .v4_0 ? .member : .xAddressBookServerMember
    }
}

/// Collects the groups in which a card's entries are to be, and takes them out of it.
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
    /// The groups in which its entries are to be, for the sake of properties that the model has no words for.
    fileprivate var groups: [String] { Groups(of: self).groups }

    /// The same card, its entries in no groups: those of a vCard that is there are the vCard's own.
    var ungrouped: Card { Groups(of: self).card }
}
