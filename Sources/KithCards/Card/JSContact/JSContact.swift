/// A card as JSContact writes it, in JSON (RFC 9553).
///
/// Encode it to give a card to another program, decode it to take one.
/// A card with a ``Card/uid`` is one of version 1.0, one without is one of
/// version 2.0 (RFC 9982), which is the same but for that. What JSContact has no words for is not written: days that
/// are but a text or are of the kind `other`, and the labels of days, addresses and relations. What a vCard says
/// besides is carried along (RFC 9555): properties in ``vCardProperties``, and parameters in the entries'
/// ``CardEntry/vCardParameters``. What is read and ``Card`` has no words for is kept in ``further``, but not what is
/// within the parts of a list, as those of a name: no pointer stays with these.
public struct JSContact: Hashable, Sendable {
    /// The card.
    public var card: Card
    /// The properties of its vCard that the card does not say, as jCard writes them (RFC 7095, section 3.3), and those
    /// that it says, but not all of their parameters, where it has no entry to carry these: `FN`, `UID`, `CATEGORIES`.
    /// An agent who is a card within the card is there too: the card has but the name.
    public var vCardProperties: [JSONValue] = []
    /// What else the object has, by the pointers to it (RFC 6901, without the first slash): `localizations`, and what
    /// programs have put into it, or into its entries, for themselves: `phones/p1/example.com:foo`.
    ///
    /// What belongs to an entry that is no longer there is not written.
    public var further: [String: JSONValue] = [:]

    /// A card alone. What is embedded in its vCard is left out.
    public init(_ card: Card) { self.card = card }

    /// The card of a vCard, and with it the properties that it does not say (RFC 9555, section 2.15.1).
    /// - Parameters:
    ///   - vCard: The vCard. Photos and the like that are not wanted are not decoded.
    ///   - embedding: Whether these are written too, as `data:` URIs; else they are left out.
    public init(_ vCard: VCard, embedding: Bool = false) {
        let reading = CardBuilder(of: vCard)
        card = embedding ? reading.wholeCard : reading.card
        let unsaid = reading.unsaid
        let halfSaid = reading.halfSaid
        let beside = halfSaid.filter { $0.aspect != .itself }.compactMap { place in
            vCard.properties[place.property].group.map { (place.part, $0.lowercased()) }
        }
        let groups = reading.groups(of: unsaid.compactMap { VCard.NewProperty($0) })
        card.group(groups.merging(beside) { group, _ in group })
        card.forget(reading.places.filter { !reading.isSaid($0) })
        for property in unsaid where (embedding || !property.isEmbedded) && property.jsProperty == nil {
            vCardProperties.append(property.jCard)
        }
        vCardProperties += halfSaid.map { vCard.properties[$0.property].jCard }
        take(unsaid.filter { $0.jsProperty != nil })
    }

    /// Takes the fields that JSPROP says; one that has no place here any more stays a property.
    private mutating func take(_ properties: [VCard.Property]) {
        guard !properties.isEmpty else { return }
        var object = fields
        for property in properties.sorted(by: { $0.parameters["JSPTR"][0] < $1.parameters["JSPTR"][0] }) {
            guard let (pointer, value) = property.jsProperty else { continue }
            if pointer.put(value, into: &object) {
                further[pointer.text] = value
            } else {
                vCardProperties.append(property.jCard)
            }
        }
    }
}

extension CardBuilder {
    /// Where the card says a property, but not all of its parameters, which no entry carries; and where an agent, of which
    /// it says but the name.
    fileprivate var halfSaid: [Place] {
        var told: Set<Int> = []
        return places.filter { !told.contains($0.property) && isHalfSaid($0) && told.insert($0.property).inserted }
    }

    private func isHalfSaid(_ place: Place) -> Bool {
        let isRelation = place.part.family == .relation
        guard place.aspect != .itself || isRelation || place.part.isRepeated, place.aspect != .sound else {
            return false
        }
        let property = vCard.properties[place.property]
        guard let name = property.knownName else { return false }
        let read = CardProperty(property, name, at: place.property)
        guard place.aspect == .itself else { return isSaid(place) && !read.carried(beside: place.aspect).isEmpty }
        return isRelation ? property.agent != nil : !read.carried(by: place.part).isEmpty
    }
}

extension CardPart {
    /// Whether the card has it without an object that could carry parameters.
    fileprivate var isRepeated: Bool { isPlain || place(in: .keyword) != nil || place(in: .member) != nil }
}

extension Card {
    /// Takes out what `vCardProps` says in its place, so that nothing is said twice.
    fileprivate mutating func forget(_ places: [CardBuilder.Place]) {
        var days: Set<Int> = []
        for place in places {
            guard case .entry(let family, let index) = place.part else { continue }
            switch (family, place.aspect) {
            case (.anniversary, .itself): days.insert(index)
            case (.anniversary, .label): anniversaries[index].label = nil
            case (.address, _): addresses[index].label = nil
            case (.relation, _): relatedTo[index].label = nil
            default: break
            }
        }
        anniversaries = anniversaries.enumerated().filter { !days.contains($0.offset) }.map(\.element)
    }

    /// Notes the groups that entries share with properties that the card does not say, so that these stay with them.
    fileprivate mutating func group(_ groups: [CardPart: String]) {
        guard !groups.isEmpty else { return }
        var grouping = Grouping(card: self, groups: groups)
        grouping.visitAll()
        self = grouping.card
    }
}

/// Puts entries of a card into groups.
private struct Grouping: FamilyVisitor {
    var card: Card
    let groups: [CardPart: String]

    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family) {
        for index in card[keyPath: path].indices {
            guard let group = groups[.entry(family, index)] else { continue }
            card[keyPath: path][index].vCardParameters["GROUP"] = [group]
        }
    }
}

extension CardBuilder {
    /// The card, and in it what is embedded in its vCard, as `data:` URIs.
    var wholeCard: Card {
        var card = card
        for place in places where place.aspect == .itself {
            guard case .entry(let family, let index) = place.part, let path = family.row.resources,
                let data = vCard.properties[place.property].embedded
            else { continue }
            let type = card[keyPath: path][index].mediaType ?? data.mediaType
            card[keyPath: path][index].content = .uri(DataURI.text(data.bytes, mediaType: type))
        }
        return card
    }
}

extension VCard {
    /// A new vCard that says all of a card as JSContact has it (RFC 9555, section 3), as far as its version can.
    public init(_ contact: JSContact, version: Version = .v4_0) {
        let further = contact.further.sorted { $0.key < $1.key }.map { pointer, value in
            let pointer = JSPointer(pointer)?.pointer(in: version, of: contact.card).text ?? pointer
            return NewProperty(PropertyName.jsProp.rawValue, .text(value.json), ["JSPTR": [pointer]])
        }
        let others = contact.vCardProperties.compactMap { NewProperty(jCard: $0) }
        let (card, beside, keepsakes) = contact.card.taking(others, version)
        self.init(card, version: version, beside: beside + further, keepsakes: keepsakes)
    }
}

extension Card {
    /// What is left to write of the card and of these properties of `vCardProps`, where these repeat something of the
    /// card for the sake of its parameters.
    fileprivate func taking(
        _ others: [VCard.NewProperty], _ version: VCard.Version
    ) -> (card: Card, beside: [VCard.NewProperty], keepsakes: [CardPart: CardPatch.Keepsake]) {
        var (card, beside, keepsakes) = (self, [VCard.NewProperty](), [CardPart: CardPatch.Keepsake]())
        var (keywords, members): (Set<String>, Set<String>) = ([], [])
        let (allKeywords, allMembers) = (Set(self.keywords), Set(self.members))
        for property in others {
            let name = VCard.PropertyName(rawValue: property.name.uppercased())
            let isAdopted = name == .xABLabel && card.adopt(label: property)
            if let agent = property.agent {
                let part = self.part(of: agent)
                if let part, keepsakes[part] == nil {
                    keepsakes[part] = CardPatch.Keepsake(agent: VCard(agent, version: version))
                } else {
                    beside.append(property.with(.card(VCard(agent, version: version))))
                }
                continue
            }
            if let (part, aspect) = card.companion(property), keepsakes[part]?.companions[aspect] == nil {
                var parameters = property.parameters
                for name in ["VALUE", "PROP-ID"] { parameters[name] = [] }
                keepsakes[part, default: CardPatch.Keepsake(group: property.group)].companions[aspect] = parameters
                continue
            }
            if isAdopted { continue }
            guard let name, name.mayBeRepeated else {
                beside.append(property)
                continue
            }
            var vCard = VCard(version: .v4_0)
            vCard.append(property.name, property.value, parameters: property.parameters)
            let said = Card(vCard)
            if let part = said.plainPart(of: self), keepsakes[part] == nil {
                var parameters = property.parameters
                for name in ["VALUE", "DERIVED"] { parameters[name] = [] }
                keepsakes[part] = CardPatch.Keepsake(group: property.group, parameters: parameters)
                continue
            }
            if allKeywords.isSuperset(of: said.keywords) { keywords.formUnion(said.keywords) }
            if allMembers.isSuperset(of: said.members) { members.formUnion(said.members) }
            beside.append(property)
        }
        card.keywords.removeAll(where: keywords.contains)
        card.members.removeAll(where: members.contains)
        return (card, beside, keepsakes)
    }

    /// Takes in what the owner calls an entry that JSContact has no label for; false if there is none in its group.
    private mutating func adopt(label property: VCard.NewProperty) -> Bool {
        guard let group = property.group?.lowercased() else { return false }
        var vCard = VCard(version: .v4_0)
        vCard.append(property.name, property.value)
        guard let label = vCard.properties.last.map({ Label($0.text.trimmed).words }), !label.isEmpty else {
            return false
        }
        func isMeant(_ entry: some CardEntry, _ label: String?) -> Bool {
            label == nil && entry.vCardParameters["GROUP"].first?.lowercased() == group
        }
        if let index = addresses.firstIndex(where: { isMeant($0, $0.label) }) {
            addresses[index].label = label
        } else if let index = relatedTo.firstIndex(where: { isMeant($0, $0.label) }) {
            relatedTo[index].label = label
        } else if let index = anniversaries.firstIndex(where: { isMeant($0, $0.label) }) {
            anniversaries[index].label = label
        } else {
            return false
        }
        return true
    }

    /// The part that the card of one property has in common with another card.
    private func plainPart(of card: Card) -> CardPart? {
        let parts: [(CardPart, KeyPath<Card, String?>)] = [
            (.uid, \.uid), (.language, \.language), (.productID, \.productID), (.created, \.created),
            (.updated, \.updated), (.fullName, \.name.full),
        ]
        for (part, path) in parts where self[keyPath: path] != nil && self[keyPath: path] == card[keyPath: path] {
            return part
        }
        if kind != .individual, kind == card.kind { return .kind }
        let gender = speakToAs.grammaticalGender
        return gender != nil && gender == card.speakToAs.grammaticalGender ? .grammaticalGender : nil
    }
}

extension VCard.PropertyName {
    /// Whether JSContact repeats such a property in `vCardProps` if it has parameters that the card does not say.
    fileprivate var mayBeRepeated: Bool {
        switch self {
        case .uid, .language, .prodID, .created, .rev, .fn, .kind, .xAddressBookServerKind, .xABShowAs, .gramGender,
            .categories, .member, .xAddressBookServerMember:
            true
        default: false
        }
    }
}

extension JSContact: Codable {
    /// Reads a `Card` object.
    public init(from decoder: any Decoder) throws {
        let fields = try [String: JSONValue](from: decoder)
        do throws(JSFields.Fault) {
            try self.init(fields)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: error.sentence))
        }
    }

    /// Writes a `Card` object.
    public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

// MARK: - The object

extension JSContact {
    /// The fields that the model knows. What else there is, is kept.
    static let known = Set(CardPart.Family.table.map(\.field)).union([
        "@type", "version", "uid", "kind", "language", "prodId", "created", "updated", "name", "vCardProps",
    ])

    var fields: [String: JSONValue] {
        var (card, object) = (card, JSFields(writing: "Card"))
        card.exchange(with: &object)
        var whole = object.fields
        whole["version"] = card.uid == nil ? "2.0" : "1.0"
        if !vCardProperties.isEmpty { whole["vCardProps"] = .array(vCardProperties) }
        // An object comes before what is in it.
        for (pointer, value) in further.sorted(by: { $0.key < $1.key }) { JSPointer(pointer)?.put(value, into: &whole) }
        return whole
    }

    init(_ fields: [String: JSONValue]) throws(JSFields.Fault) {
        let type = fields["@type"]?.text
        var (card, object) = (Card(), JSFields(reading: fields))
        if type != nil, type != "Card" { object.fail("has another “@type”") }
        card.exchange(with: &object)
        self.init(card)
        if case .array(let properties)? = fields["vCardProps"] { vCardProperties = properties }
        if type == nil, card == Card(), vCardProperties.isEmpty {
            object.fail("has neither “@type” nor anything of a card")
        }
        if let fault = object.fault { throw fault }
        further = JSPointer.rest(of: fields, without: self.fields)
    }
}
