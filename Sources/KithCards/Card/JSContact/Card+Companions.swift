extension Card {
    /// The part and the aspect of the card that a property only repeats; nil if it does not. JSContact keeps such a
    /// property because of its parameters.
    func companion(_ property: VCard.NewProperty) -> (part: CardPart, aspect: Aspect)? {
        guard let name = VCard.PropertyName(rawValue: property.name.uppercased()), let text = property.plainText else {
            return nil
        }
        switch name {
        case .xABLabel: return labelled(in: property.group, text).map { ($0, .label) }
        case .label: return address(\.full, text).map { ($0, .fullAddress) }
        case .geo: return address(\.coordinates, AddressLayout.coordinates(text)).map { ($0, .coordinates) }
        case .tz: return address(\.timeZone, AddressLayout.timeZone(text)).map { ($0, .timeZone) }
        case .xABADR: return address(\.countryCode, AddressLayout.countryCode(text)).map { ($0, .countryCode) }
        case .sortString: return self.name.sortAs == [.surname: text] ? (.name, .sortAs) : nil
        case .xPhoneticFirstName: return phonetic(.given, text)
        case .xPhoneticMiddleName: return phonetic(.given2, text)
        case .xPhoneticLastName: return phonetic(.surname, text)
        case .birthPlace: return place(of: .birth, text)
        case .deathPlace: return place(of: .death, text)
        default: return nil
        }
    }

    private func address(_ path: KeyPath<Address, String?>, _ value: String?) -> CardPart? {
        guard let value else { return nil }
        return addresses.firstIndex { $0[keyPath: path] == value }.map { .entry(.address, $0) }
    }

    private func phonetic(_ kind: Name.Kind, _ text: String) -> (CardPart, Aspect)? {
        name.components.contains { $0.kind == kind && $0.phonetic == text } ? (.name, .phonetic(kind)) : nil
    }

    private func place(of kind: Anniversary.Kind, _ text: String) -> (CardPart, Aspect)? {
        guard let index = anniversaries.firstIndex(where: { $0.kind == kind }) else { return nil }
        let part = CardPart.entry(.anniversary, index)
        if anniversaries[index].place?.full == text { return (part, .place) }
        return anniversaries[index].place?.coordinates == text ? (part, .placeCoordinates) : nil
    }

    /// The entry in this group with this label.
    private func labelled(in group: String?, _ text: String) -> CardPart? {
        guard let group = group?.lowercased() else { return nil }
        var search = LabelSearch(card: self, group: group, label: Label(text.trimmedASCII).words)
        search.visitAll()
        return search.part
    }
}

/// Finds an entry by its group and its label.
private struct LabelSearch: FamilyVisitor {
    let card: Card
    let group: String
    let label: String
    var part: CardPart?

    mutating func visit<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family) {
        guard part == nil else { return }
        let index = card[keyPath: path].firstIndex { entry in
            entry.vCardParameters["GROUP"].first?.lowercased() == group
                && self.label(of: entry) == label
        }
        part = index.map { .entry(family, $0) }
    }

    private func label(of entry: some CardEntry) -> String? {
        switch entry {
        case let entry as any LabelledEntry: entry.label
        case let entry as Card.Relation: entry.label
        case let entry as Card.Anniversary: entry.label
        default: nil
        }
    }
}

extension VCard.NewProperty {
    /// The value if it is one text, else nil.
    fileprivate var plainText: String? {
        switch value {
        case .text(let text), .plain(let text): text
        default: nil
        }
    }
}
