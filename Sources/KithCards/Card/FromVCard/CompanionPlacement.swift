/// Adds companion properties to the entries that they describe: labels, the full text of an address, the pronunciation
/// of a name.
///
/// It runs after all properties have been read, because a companion can precede its entry.
struct CompanionPlacement {
    private(set) var builder: CardBuilder
    /// The addresses that may lack a full text, by their contexts, the last ones first. Computed on first use.
    private var unlabelled: [Set<Card.Context>: [Int]]?

    init(_ builder: consuming CardBuilder) {
        self.builder = builder
        settle()
    }

    private mutating func settle() {
        let labels = lastLabels
        var told: Set<VCard.PropertyName> = []
        for property in builder.companions {
            // A name has each of these once, so only the first that is not blank is used.
            if property.isOfName, property.isBlank || !told.insert(property.name).inserted { continue }
            switch property.name {
            case .xABLabel: if labels.contains(property.index) { settleLabel(property) }
            case .sortString: settleSorting(property)
            case .n: settleSound(property)
            case .xPhoneticFirstName: settlePhonetic(property, .given)
            case .xPhoneticMiddleName: settlePhonetic(property, .given2)
            case .xPhoneticLastName: settlePhonetic(property, .surname)
            case .birthPlace: settlePlace(property, of: .birth)
            case .deathPlace: settlePlace(property, of: .death)
            default: settleAddress(property)
            }
        }
        settleTitles()
    }

    // MARK: Labels

    /// The index of the last label in each group, which overrides the others.
    private var lastLabels: Set<Int> {
        var last: [String: Int] = [:]
        for property in builder.companions where property.name == .xABLabel && !property.text.isEmpty {
            if let group = property.group { last[group] = property.index }
        }
        return Set(last.values)
    }

    private mutating func settleLabel(_ property: CardProperty) {
        let text = property.text
        guard let group = property.group else { return }
        for part in builder.groups[group] ?? [] where builder.card.adopt(Label(text), of: part) {
            builder.note(part, property, .label)
        }
    }

    // MARK: Names

    private mutating func settleSorting(_ property: CardProperty) {
        let text = property.text
        guard !text.isEmpty, builder.card.name.sortAs.isEmpty else { return }
        builder.card.name.sortAs = [.surname: text]
        builder.note(.name, property, .sortAs)
    }

    private mutating func settlePhonetic(_ property: CardProperty, _ kind: Card.Name.Kind) {
        let text = property.text
        guard !text.isEmpty, let place = builder.card.name.components.firstIndex(where: { $0.kind == kind }),
            builder.card.name.components[place].phonetic == nil
        else { return }
        builder.card.name.components[place].phonetic = text
        builder.note(.name, property, .phonetic(kind))
    }

    private mutating func settleSound(_ property: CardProperty) {
        guard !builder.card.name.components.contains(where: { $0.phonetic != nil }) else { return }
        let sounds = NameLayout(NameLayout.components(of: property.written)).sounds(of: builder.card.name.components)
        guard sounds.contains(where: { $0 != nil }) else { return }
        for (index, sound) in sounds.enumerated() { builder.card.name.components[index].phonetic = sound }
        let system = property["PHONETIC"]?.lowercased()
        builder.card.name.phoneticSystem = system == "script" ? nil : system
        builder.card.name.phoneticScript = property["SCRIPT"]
        // ALTID only pairs the two `N` properties, which are one name in the model.
        builder.card.name.vCardParameters["ALTID"] = []
        builder.note(.name, property, .sound)
    }

    /// A title is held in the organization with which it shares a group (RFC 9555).
    private mutating func settleTitles() {
        guard !builder.card.titles.isEmpty, !builder.card.organizations.isEmpty else { return }
        for parts in builder.groups.values {
            guard let organization = parts.lazy.compactMap({ $0.place(in: .organization) }).first else { continue }
            for title in parts.compactMap({ $0.place(in: .title) }) {
                builder.card.titles[title].organization = builder.card.organizations[organization].id
            }
        }
    }

    // MARK: Days

    /// Adds a place to the first birth or death. A URI other than `geo:` stays in the vCard.
    private mutating func settlePlace(_ property: CardProperty, of kind: Card.Anniversary.Kind) {
        let text = property.text
        guard !text.isEmpty, let index = builder.firstDays[kind] else { return }
        var place = builder.card.anniversaries[index].place ?? Card.Anniversary.Place()
        let part = CardPart.entry(.anniversary, index)
        if text.hasPrefixIgnoringCase("geo:"), property.valueType != "text" {
            guard place.coordinates == nil else { return }
            place.coordinates = text
            builder.note(part, property, .placeCoordinates)
        } else {
            guard place.full == nil, property.valueType != "uri" else { return }
            place.full = text
            builder.note(part, property, .place)
        }
        builder.card.anniversaries[index].place = place
    }

    // MARK: Addresses

    private mutating func settleAddress(_ property: CardProperty) {
        switch property.name {
        case .label:
            let text = property.written.text
            settle(text, \.full, .fullAddress, property, ungrouped: unlabelledAddress(property.words.contexts))
        case .geo:
            settle(
                AddressLayout.coordinates(property.text), \.coordinates, .coordinates, property, ungrouped: onlyAddress)
        case .tz:
            settle(AddressLayout.timeZone(property.text), \.timeZone, .timeZone, property, ungrouped: onlyAddress)
        default:
            // A country code has no meaning without an address in its group.
            guard let place = address(in: property.group) else { return }
            settle(AddressLayout.countryCode(property.text), \.countryCode, .countryCode, property, ungrouped: place)
        }
    }

    private var onlyAddress: Int? { builder.card.addresses.count == 1 ? 0 : nil }

    /// The first address with these contexts and without a full text.
    private mutating func unlabelledAddress(_ contexts: Set<Card.Context>) -> Int? {
        let unlabelled =
            unlabelled
            ?? Dictionary(grouping: builder.card.addresses.indices.reversed()) { builder.card.addresses[$0].contexts }
        self.unlabelled = unlabelled
        while let place = self.unlabelled?[contexts]?.popLast() {
            if builder.card.addresses[place].full == nil { return place }
        }
        return nil
    }

    private func address(in group: String?) -> Int? { group.flatMap { builder.groupAddresses[$0] } }

    /// Adds a value to the address in the property's group, or to `ungrouped` if the property has no group. If there is
    /// no such address, a new one is created.
    private mutating func settle(
        _ value: String?, _ path: WritableKeyPath<Card.Address, String?>, _ aspect: Aspect, _ property: CardProperty,
        ungrouped: Int?
    ) {
        guard let value, !value.trimmedASCII.isEmpty else { return }
        var place = property.group == nil ? ungrouped : address(in: property.group)
        if place == nil {
            place = builder.card.addresses.count
            var address = Card.Address(id: "")
            (address.contexts, address.pref) = (property.words.contexts, property.words.pref)
            address.id = CardPart.Family.address.id(at: builder.card.addresses.count)
            builder.card.addresses.append(address)
            builder.join(.entry(.address, builder.card.addresses.count - 1), property)
        }
        guard let place, builder.card.addresses[place][keyPath: path] == nil else { return }
        builder.card.addresses[place][keyPath: path] = value
        builder.note(.entry(.address, place), property, aspect)
    }
}

extension CardProperty {
    /// Whether it holds the pronunciation or the sort key of the name.
    fileprivate var isOfName: Bool {
        switch name {
        case .sortString, .n, .xPhoneticFirstName, .xPhoneticMiddleName, .xPhoneticLastName: true
        default: false
        }
    }

    /// Whether the value contains only separators and blanks.
    fileprivate var isBlank: Bool { text.utf8.allSatisfy { $0 <= 0x20 || $0 == .semicolon || $0 == .comma } }
}

extension Card {
    /// Sets the label of `part`; returns false if such a part has no label.
    fileprivate mutating func adopt(_ label: Label, of part: CardPart) -> Bool {
        guard case .entry(let family, let place) = part else { return false }
        switch family {
        case .email: emails[place].adopt(label)
        case .phone:
            phones[place].features.formUnion(label.features)
            phones[place].adopt(label, isSaid: !label.features.isEmpty)
        case .onlineService: onlineServices[place].adopt(label)
        case .address: addresses[place].adopt(label)
        case .anniversary:
            if label.isBracketed, label.word == "Anniversary", anniversaries[place].kind == .other {
                anniversaries[place].kind = .wedding
            } else {
                anniversaries[place].label = label.words
            }
        case .relation:
            if let relation = label.relation { relatedTo[place].relations.insert(relation.word) }
            if label.relation?.isAll != true { relatedTo[place].label = label.words }
        default:
            guard let resources = family.row.resources else { return false }
            self[keyPath: resources][place].adopt(label)
        }
        return true
    }
}

extension LabelledEntry {
    /// Sets the label, or adds the contexts that it stands for.
    fileprivate mutating func adopt(_ label: Label, isSaid: Bool = false) {
        contexts.formUnion(label.contexts)
        if label.contexts.isEmpty, !isSaid { self.label = label.words }
    }
}
