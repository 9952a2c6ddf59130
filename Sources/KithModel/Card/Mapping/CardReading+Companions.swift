import Foundation

extension CardReading {
    /// Puts what belongs to other properties in its place.
    mutating func settle() {
        for statement in companions {
            switch statement.name {
            case .xABLabel: settleLabel(statement)
            case .sortString: settleSorting(statement)
            case .xPhoneticFirstName: settlePhonetic(statement, .given)
            case .xPhoneticMiddleName: settlePhonetic(statement, .given2)
            case .xPhoneticLastName: settlePhonetic(statement, .surname)
            default: settleAddress(statement)
            }
        }
        for index in card.titles.indices { card.titles[index].organization = organization(ofTitle: index) }
    }

    /// The parts that were read from properties of a group. Groups differ by more than the case of their letters.
    private func parts(in group: String?) -> [CardPart] {
        guard let group, !groups.isEmpty else { return [] }
        return groups.filter { $0.group.caseInsensitiveCompare(group) == .orderedSame }.map(\.part)
    }

    // MARK: Labels

    private mutating func settleLabel(_ statement: Statement) {
        let text = statement.text
        guard !text.isEmpty else { return }
        for part in parts(in: statement.property.group) where card.adopt(Label(text), of: part) {
            note(part, statement, .label)
        }
    }

    // MARK: Names

    private mutating func settleSorting(_ statement: Statement) {
        let text = statement.text
        guard !text.isEmpty, card.name.sortAs.isEmpty else { return }
        card.name.sortAs = [.surname: text]
        note(.name, statement, .sortAs)
    }

    private mutating func settlePhonetic(_ statement: Statement, _ kind: Card.Name.Kind) {
        let text = statement.text
        guard !text.isEmpty, let place = card.name.components.firstIndex(where: { $0.kind == kind }),
            card.name.components[place].phonetic == nil
        else { return }
        card.name.components[place].phonetic = text
        note(.name, statement, .phonetic(kind))
    }

    /// A title is held in the organization with which it shares a group (RFC 9555, section 2.4).
    private func organization(ofTitle index: Int) -> String? {
        let group = groups.first { $0.part == .entry(.title, index) }?.group
        for case .entry(.organization, let place) in parts(in: group) { return card.organizations[place].id }
        return nil
    }

    // MARK: Addresses

    private mutating func settleAddress(_ statement: Statement) {
        switch statement.name {
        case .label:
            let contexts = statement.contexts
            let free = card.addresses.firstIndex { $0.full == nil && $0.contexts == contexts }
            settle(statement.property.text, \.full, .fullAddress, statement, ungrouped: free)
        case .geo:
            settle(Self.coordinates(statement.text), \.coordinates, .coordinates, statement, ungrouped: onlyAddress)
        case .tz:
            settle(Self.timeZone(statement.text), \.timeZone, .timeZone, statement, ungrouped: onlyAddress)
        default:
            // Without an address beside it the code of a country says nothing.
            guard let place = address(in: statement.property.group) else { return }
            settle(Self.countryCode(statement.text), \.countryCode, .countryCode, statement, ungrouped: place)
        }
    }

    private var onlyAddress: Int? { card.addresses.count == 1 ? 0 : nil }

    private func address(in group: String?) -> Int? {
        for case .entry(.address, let place) in parts(in: group) { return place }
        return nil
    }

    /// What is said of an address belongs to the one of the same group, without a group to `ungrouped`, else to one of
    /// its own.
    private mutating func settle(
        _ value: String?, _ path: WritableKeyPath<Card.Address, String?>, _ aspect: Aspect, _ statement: Statement,
        ungrouped: Int?
    ) {
        guard let value, !value.trimmed.isEmpty else { return }
        let group = statement.property.group
        var place = group == nil ? ungrouped : address(in: group)
        if place == nil {
            place = card.addresses.count
            var address = Card.Address(id: "")
            (address.contexts, address.pref) = (statement.contexts, statement.pref)
            address.id = CardPart.Family.address.id(at: card.addresses.count)
            card.addresses.append(address)
            if let group { groups.append((group, .entry(.address, card.addresses.count - 1))) }
        }
        guard let place, card.addresses[place][keyPath: path] == nil else { return }
        card.addresses[place][keyPath: path] = value
        note(.entry(.address, place), statement, aspect)
    }
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
        case .media: media[place].adopt(label)
        case .link: links[place].adopt(label)
        case .calendar: calendars[place].adopt(label)
        case .cryptoKey: cryptoKeys[place].adopt(label)
        case .directory: directories[place].adopt(label)
        case .schedulingAddress: schedulingAddresses[place].adopt(label)
        case .anniversary:
            if label.isBracketed, label.word == "Anniversary", anniversaries[place].kind == .other {
                anniversaries[place].kind = .wedding
            } else {
                anniversaries[place].label = label.words
            }
        case .relation:
            if let relation = label.relation { relatedTo[place].relations.insert(relation.word) }
            if label.relation?.isAll != true { relatedTo[place].label = label.words }
        default: return false
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
