/// A card in JSContact form, for JSON (RFC 9553).
///
/// Encode it to give a card to another program, and decode it to take one. A card with a ``Card/uid`` has version 1.0.
/// A card without one has version 2.0, which makes the uid optional (RFC 9982) and is otherwise the same.
///
/// Some parts of a ``Card`` have no field in JSContact and are not written: days that are only a text or of the kind
/// `other`, and the labels of days, addresses and relations.
///
/// A day with a time in another zone than UTC is written as a date, because a timestamp in UTC can be another day. The
/// property of the vCard is carried along.
///
/// Data that only a vCard has is carried along (RFC 9555): properties in ``vCardProperties``, and parameters in
/// ``CardEntry/vCardParameters``. JSContact fields that ``Card`` lacks are kept in ``further``.
public struct JSContact: Hashable, Sendable {
    /// The card.
    public var card: Card
    /// Properties of the vCard in jCard form (RFC 7095, section 3.3).
    ///
    /// They are the properties that the card cannot express, and those with parameters that no entry carries, such as
    /// `FN`, `UID` and `CATEGORIES`. An agent that is a nested card is here too, because the card holds only the
    /// agent's name.
    public var vCardProperties: [JSONValue] = []
    /// Further fields, by the pointers to them (RFC 6901, without the first slash): `localizations`, and fields that
    /// programs add to the card or to its entries, such as `phones/p1/example.com:foo`. A field whose value is of the
    /// wrong type or an unknown word is here, such as a list in `phones`. Media, personal information and
    /// anniversaries of a kind that ``Card`` lacks are here as a whole: `media/v1`. So is a list whose elements have such
    /// fields, or are of a kind that ``Card`` lacks, because a pointer to an element is not stable: `name/components`.
    ///
    /// Fields of an entry that was removed are not written, nor is a list if the card has another one.
    public var further: [String: JSONValue] = [:]

    /// A card without a vCard. Embedded data is left out.
    public init(_ card: Card) { self.card = card }

    /// The card of a vCard, with the properties that the card cannot express (RFC 9555, section 2.15.1).
    /// - Parameters:
    ///   - vCard: The vCard.
    ///   - embedding: Whether to include embedded data, such as photos, as `data:` URIs. Otherwise it is left out, and
    ///     not decoded.
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

    /// Adds the fields in JSPROP properties. A field that cannot be placed stays a property.
    private mutating func take(_ properties: [VCard.Property]) {
        guard !properties.isEmpty else { return }
        var object = fields
        for property in properties.sorted(by: { $0.parameters["JSPTR"][0] < $1.parameters["JSPTR"][0] }) {
            guard let (pointer, value) = property.jsProperty else { continue }
            if further[pointer.text] == nil, pointer.put(value, intoCard: &object) {
                further[pointer.text] = value
            } else {
                vCardProperties.append(property.jCard)
            }
        }
    }
}

extension CardBuilder {
    /// The properties that the card expresses without all of their parameters, because no entry carries them. Agents
    /// that are nested cards are among them, because the card holds only their names, and days with a time in another
    /// zone than UTC, of which it holds the date.
    fileprivate var halfSaid: [Place] {
        var told: Set<Int> = []
        return places.filter { !told.contains($0.property) && isHalfSaid($0) && told.insert($0.property).inserted }
    }

    private func isHalfSaid(_ place: Place) -> Bool {
        if case .entry(.anniversary, let index) = place.part, place.aspect == .itself {
            return isSaid(place) && card.anniversaries[index].day.isInOtherZone
        }
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
    /// Whether the card holds it without an object that could carry parameters.
    fileprivate var isRepeated: Bool { isPlain || place(in: .keyword) != nil || place(in: .member) != nil }
}

extension Card {
    /// Removes the data that `vCardProps` contains too, so that it is not written twice.
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

    /// Records in the entries the groups that they share with properties outside the card, so that these stay tied to
    /// them.
    fileprivate mutating func group(_ groups: [CardPart: String]) {
        guard !groups.isEmpty else { return }
        var grouping = Grouping(card: self, groups: groups)
        grouping.visitAll()
        self = grouping.card
    }
}

/// Records groups in the entries of a card.
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
    /// The card, with the embedded data of its vCard as `data:` URIs.
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

extension JSContact {
    /// The further fields, without lists in whose place the card has another one.
    fileprivate var current: [String: JSONValue] {
        let hasLists = further.values.contains { if case .array = $0 { true } else { false } }
        guard hasLists else { return further }
        let fields = fields
        return further.filter { pointer, value in
            guard case .array = value, let written = JSPointer(pointer)?.value(in: fields) else { return true }
            return written == value
        }
    }
}

extension VCard {
    /// A new vCard with everything in a JSContact card (RFC 9555, section 3), as far as the version can express it.
    public init(_ contact: JSContact, version: Version = .v4_0) {
        let further = contact.current.sorted { $0.key < $1.key }.map { pointer, value in
            let pointer = JSPointer(pointer)?.pointer(in: version, of: contact.card).text ?? pointer
            return NewProperty(PropertyName.jsProp.rawValue, .text(value.json), ["JSPTR": [pointer]])
        }
        let others = contact.vCardProperties.compactMap { NewProperty(jCard: $0) }
        let (card, beside, keepsakes) = contact.card.taking(others, version)
        self.init(card, version: version, beside: beside + further, keepsakes: keepsakes)
    }
}

extension Card {
    /// Separates the properties of `vCardProps` that repeat a part of the card from the others.
    ///
    /// `keepsakes` has the parameters of repeated properties, for the parts that they repeat. `beside` has the
    /// properties to write unchanged. `card` is the card without the keywords and members in these properties.
    fileprivate func taking(
        _ others: [VCard.NewProperty], _ version: VCard.Version
    ) -> (card: Card, beside: [VCard.NewProperty], keepsakes: [CardPart: CardPatch.Keepsake]) {
        var (card, beside, keepsakes) = (self, [VCard.NewProperty](), [CardPart: CardPatch.Keepsake]())
        var (keywords, members): (Set<String>, Set<String>) = ([], [])
        let (allKeywords, allMembers) = (Set(self.keywords), Set(self.members))
        var search = CompanionSearch(of: self)
        for property in others {
            let name = VCard.PropertyName(rawValue: property.name.uppercased())
            let isAdopted = name == .xABLabel && card.adopt(label: property, by: &search)
            if let agent = property.agent {
                let part = search.part(of: agent)
                if let part, keepsakes[part] == nil {
                    keepsakes[part] = CardPatch.Keepsake(agent: VCard(agent, version: version))
                } else {
                    beside.append(property.with(.card(VCard(agent, version: version))))
                }
                continue
            }
            if let (part, aspect) = search.companion(property), keepsakes[part]?.companions[aspect] == nil {
                var parameters = property.parameters
                for name in ["VALUE", "PROP-ID"] { parameters[name] = [] }
                var keepsake = keepsakes[part] ?? CardPatch.Keepsake(group: property.group)
                keepsake.companions[aspect] = parameters
                if aspect == .label { keepsake.label = property.plainText?.trimmedASCII }
                keepsakes[part] = keepsake
                continue
            }
            if isAdopted || card.adopt(day: property) { continue }
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

    /// Sets the label of an entry for which JSContact has no label field; returns false if there is none in the
    /// property's group.
    private mutating func adopt(label property: VCard.NewProperty, by search: inout CompanionSearch) -> Bool {
        guard let group = property.group?.lowercased() else { return false }
        var vCard = VCard(version: .v4_0)
        vCard.append(property.name, property.value)
        guard let label = vCard.properties.last.map({ Label($0.text.trimmedASCII).words }), !label.isEmpty else {
            return false
        }
        switch search.adopt(label, in: group) {
        case .entry(.address, let index): addresses[index].label = label
        case .entry(.relation, let index): relatedTo[index].label = label
        case .entry(.anniversary, let index): anniversaries[index].label = label
        default: return false
        }
        return true
    }

    /// Sets the time and the zone of a day for which JSContact has only the date; returns false if the property has none.
    private mutating func adopt(day property: VCard.NewProperty) -> Bool {
        guard let text = property.plainText, Anniversary.Day(text).isInOtherZone else { return false }
        var vCard = VCard(version: .v4_0)
        vCard.append(property.name, property.value, parameters: property.parameters)
        guard let said = Card(vCard).anniversaries.first else { return false }
        let index = anniversaries.firstIndex { anniversary in
            (anniversary.kind == said.kind || said.kind == .other) && anniversary.day.civilDay == said.day.civilDay
        }
        guard let index else { return false }
        anniversaries[index].day = said.day
        return true
    }

    /// The part that this card, which was read from one property, has in common with another card.
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
    /// Whether `vCardProps` repeats such a property if it has parameters that the card cannot carry.
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
    /// The fields that the model knows. Other fields are kept in ``further``.
    static let known = Set(CardPart.Family.table.map(\.field)).union([
        "@type", "version", "uid", "kind", "language", "prodId", "created", "updated", "name", "vCardProps",
    ])

    var fields: [String: JSONValue] {
        var (card, object) = (card, JSFields(writing: "Card"))
        card.exchange(with: &object)
        var whole = object.fields
        whole["version"] = card.uid == nil ? "2.0" : "1.0"
        if !vCardProperties.isEmpty { whole["vCardProps"] = .array(vCardProperties) }
        // In the order of pointers, an object precedes the fields in it.
        for (pointer, value) in further.sorted(by: { $0.key < $1.key }) {
            JSPointer(pointer)?.put(value, intoCard: &whole)
        }
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

extension Card {
    /// The card that the model reads from fields of JSContact; nil if they are not valid.
    init?(jsContact fields: [String: JSONValue]) {
        self.init()
        var object = JSFields(reading: fields)
        exchange(with: &object)
        if object.fault != nil { return nil }
    }
}
