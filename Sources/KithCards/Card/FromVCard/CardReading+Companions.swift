extension CardReading {
    /// Puts what belongs to other properties in its place.
    mutating func settle() {
        let labels = lastLabels
        var told: Set<VCard.PropertyName> = []
        for statement in companions {
            // What a name has once is looked for once, however often the vCard says it.
            if statement.isOfName, statement.isBlank || !told.insert(statement.name).inserted { continue }
            switch statement.name {
            case .xABLabel: if labels.contains(statement.index) { settleLabel(statement) }
            case .sortString: settleSorting(statement)
            case .n: settleSound(statement)
            case .xPhoneticFirstName: settlePhonetic(statement, .given)
            case .xPhoneticMiddleName: settlePhonetic(statement, .given2)
            case .xPhoneticLastName: settlePhonetic(statement, .surname)
            case .birthPlace: settlePlace(statement, of: .birth)
            case .deathPlace: settlePlace(statement, of: .death)
            default: settleAddress(statement)
            }
        }
        settleTitles()
    }

    // MARK: Labels

    /// The last label of each group, by its index: that one counts.
    private var lastLabels: Set<Int> {
        var last: [String: Int] = [:]
        for statement in companions where statement.name == .xABLabel && !statement.text.isEmpty {
            if let group = statement.group { last[group] = statement.index }
        }
        return Set(last.values)
    }

    private mutating func settleLabel(_ statement: CardProperty) {
        let text = statement.text
        guard let group = statement.group else { return }
        for part in groups[group] ?? [] where card.adopt(Label(text), of: part) {
            note(part, statement, .label)
        }
    }

    // MARK: Names

    private mutating func settleSorting(_ statement: CardProperty) {
        let text = statement.text
        guard !text.isEmpty, card.name.sortAs.isEmpty else { return }
        card.name.sortAs = [.surname: text]
        note(.name, statement, .sortAs)
    }

    private mutating func settlePhonetic(_ statement: CardProperty, _ kind: Card.Name.Kind) {
        let text = statement.text
        guard !text.isEmpty, let place = card.name.components.firstIndex(where: { $0.kind == kind }),
            card.name.components[place].phonetic == nil
        else { return }
        card.name.components[place].phonetic = text
        note(.name, statement, .phonetic(kind))
    }

    private mutating func settleSound(_ statement: CardProperty) {
        guard !card.name.components.contains(where: { $0.phonetic != nil }) else { return }
        let sounds = NameLayout(NameLayout.components(of: statement.property)).sounds(of: card.name.components)
        guard sounds.contains(where: { $0 != nil }) else { return }
        for (index, sound) in sounds.enumerated() { card.name.components[index].phonetic = sound }
        let system = statement["PHONETIC"]?.lowercased()
        card.name.phoneticSystem = system == "script" ? nil : system
        card.name.phoneticScript = statement["SCRIPT"]
        // That both are one name is what it was for.
        card.name.vCardParameters["ALTID"] = []
        note(.name, statement, .sound)
    }

    /// A title is held in the organization with which it shares a group (RFC 9555).
    private mutating func settleTitles() {
        guard !card.titles.isEmpty, !card.organizations.isEmpty else { return }
        for parts in groups.values {
            guard let organization = parts.lazy.compactMap({ $0.place(in: .organization) }).first else { continue }
            for title in parts.compactMap({ $0.place(in: .title) }) {
                card.titles[title].organization = card.organizations[organization].id
            }
        }
    }

    // MARK: Days

    /// The place belongs to the first birth or death. A URI that is no place on earth stays where it is.
    private mutating func settlePlace(_ statement: CardProperty, of kind: Card.Anniversary.Kind) {
        let text = statement.text
        guard !text.isEmpty, let index = firstDays[kind] else { return }
        var place = card.anniversaries[index].place ?? Card.Anniversary.Place()
        let part = CardPart.entry(.anniversary, index)
        if text.hasPrefixIgnoringCase("geo:"), statement.valueType != "text" {
            guard place.coordinates == nil else { return }
            place.coordinates = text
            note(part, statement, .placeCoordinates)
        } else {
            guard place.full == nil, statement.valueType != "uri" else { return }
            place.full = text
            note(part, statement, .place)
        }
        card.anniversaries[index].place = place
    }

    // MARK: Addresses

    private mutating func settleAddress(_ statement: CardProperty) {
        switch statement.name {
        case .label:
            let text = statement.property.text
            settle(text, \.full, .fullAddress, statement, ungrouped: unlabelledAddress(statement.words.contexts))
        case .geo:
            settle(Self.coordinates(statement.text), \.coordinates, .coordinates, statement, ungrouped: onlyAddress)
        case .tz:
            settle(Self.timeZone(statement.text), \.timeZone, .timeZone, statement, ungrouped: onlyAddress)
        default:
            // Without an address beside it the code of a country says nothing.
            guard let place = address(in: statement.group) else { return }
            settle(Self.countryCode(statement.text), \.countryCode, .countryCode, statement, ungrouped: place)
        }
    }

    private var onlyAddress: Int? { card.addresses.count == 1 ? 0 : nil }

    /// The first address of these contexts of which no whole is told yet.
    private mutating func unlabelledAddress(_ contexts: Set<Card.Context>) -> Int? {
        let unlabelled =
            unlabelled ?? Dictionary(grouping: card.addresses.indices.reversed()) { card.addresses[$0].contexts }
        self.unlabelled = unlabelled
        while let place = self.unlabelled?[contexts]?.popLast() {
            if card.addresses[place].full == nil { return place }
        }
        return nil
    }

    private func address(in group: String?) -> Int? { group.flatMap { groupAddresses[$0] } }

    /// What is said of an address belongs to the one of the same group, without a group to `ungrouped`, else to one of
    /// its own.
    private mutating func settle(
        _ value: String?, _ path: WritableKeyPath<Card.Address, String?>, _ aspect: Aspect, _ statement: CardProperty,
        ungrouped: Int?
    ) {
        guard let value, !value.trimmed.isEmpty else { return }
        var place = statement.group == nil ? ungrouped : address(in: statement.group)
        if place == nil {
            place = card.addresses.count
            var address = Card.Address(id: "")
            (address.contexts, address.pref) = (statement.words.contexts, statement.words.pref)
            address.id = CardPart.Family.address.id(at: card.addresses.count)
            card.addresses.append(address)
            join(.entry(.address, card.addresses.count - 1), statement)
        }
        guard let place, card.addresses[place][keyPath: path] == nil else { return }
        card.addresses[place][keyPath: path] = value
        note(.entry(.address, place), statement, aspect)
    }
}

extension CardProperty {
    /// Whether it says how the name sounds, or how to sort it.
    fileprivate var isOfName: Bool {
        switch name {
        case .sortString, .n, .xPhoneticFirstName, .xPhoneticMiddleName, .xPhoneticLastName: true
        default: false
        }
    }

    /// Whether there is nothing between the signs that part its value.
    fileprivate var isBlank: Bool { text.utf8.allSatisfy { $0 <= 0x20 || $0 == .semicolon || $0 == .comma } }
}

extension Card {
    /// Takes in what the owner calls `part`; false if it has nowhere to put that.
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
    /// Takes in a label, or the context that it is a word for.
    fileprivate mutating func adopt(_ label: Label, isSaid: Bool = false) {
        contexts.formUnion(label.contexts)
        if label.contexts.isEmpty, !isSaid { self.label = label.words }
    }
}
