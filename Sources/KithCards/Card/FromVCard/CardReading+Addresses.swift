extension CardReading {
    mutating func readAddress(_ statement: CardProperty) {
        var address = Card.Address(id: "")
        let layout = AddressLayout(AddressLayout.components(of: statement.property))
        if let comps = statement["JSCOMPS"].flatMap(JSComps.init), let ordered = layout.ordered(by: comps) {
            address.components = ordered
            address.isOrdered = true
            address.defaultSeparator = comps.defaultSeparator
        } else {
            address.components = layout.components
        }
        address.full = statement["LABEL"]
        address.coordinates = statement["GEO"].flatMap(Self.coordinates)
        address.timeZone = statement["TZ"].flatMap(Self.timeZone)
        address.countryCode = statement["CC"].flatMap(Self.countryCode)
        // Without parts it is one all the same where something is told of it beside it.
        guard address != Card.Address(id: "") || statement.group.map({ addressGroups.contains($0) }) ?? false else {
            return
        }
        add(address, to: \.addresses, .address, statement)
    }

    /// A `geo:` URI of what a card says, `geo:48.2,16.4` or the `48.2;16.4` of versions 2.1 and 3.0; nil if it is none.
    static func coordinates(_ text: String) -> String? {
        let text = text.trimmed
        if let place = text.afterPrefix("geo:") { return place.isEmpty ? nil : text }
        let numbers = text.split(whereSeparator: { $0 == ";" || $0 == "," }).map { String($0).trimmed }
        guard numbers.count == 2, let latitude = Double(numbers[0]), let longitude = Double(numbers[1]),
            -90...90 ~= latitude, -180...180 ~= longitude
        else { return nil }
        return "geo:\(numbers[0]),\(numbers[1])"
    }

    /// A name of the time zone database of what a card says; nil if it is none, and no offset that has one.
    static func timeZone(_ text: String) -> String? {
        let text = text.trimmed
        if let zone = DateAndTime.zoneName(ofOffset: text) { return zone }
        return text.contains("/") && !text.contains(where: \.isWhitespace) && !text.contains(":") ? text : nil
    }

    /// Two letters in capitals; nil if the text is anything else. Some programs write whole addresses into X-ABADR.
    static func countryCode(_ text: String) -> String? {
        let code = text.trimmed.uppercased()
        return code.utf8.count == 2 && code.utf8.allSatisfy { 0x41...0x5A ~= $0 } ? code : nil
    }
}

/// The parts of an address as `ADR` has them: seven components (RFC 6350, section 6.3.1), and eleven more of RFC 9554.
struct AddressLayout: ComponentLayout {
    /// What each component holds.
    static let kinds: [Card.Address.Kind] =
        [.postOfficeBox, .apartment, .name, .locality, .region, .postcode, .country]
        + [
            .room, .apartment, .floor, .number, .name, .building, .block, .subdistrict, .district, .landmark,
            .direction,
        ]
    static let old = 7
    static let freeText = 2
    /// In which old components, for readers that know only these, the values of new ones stand too.
    static let twins: [Int: [Card.Address.Kind]] = [
        1: [.room, .floor, .apartment, .building],
        2: [.number, .name, .block, .direction, .landmark, .subdistrict, .district],
    ]

    let values: ArraySlice<[String]>

    init(_ components: [[String]]) { values = components.prefix(Self.kinds.count) }

    /// The country has no digits, as the postal code has, and no component but the rest of a street begins with a blank.
    static func isMoved(_ components: [[String]]) -> Bool {
        components[old - 1].joined().contains(where: \.isNumber)
            || components[freeText + 1].first?.first?.isWhitespace == true
    }

    /// The parts in vCard's order. What old components repeat of those of RFC 9554 is left out.
    var components: [Card.Address.Component] {
        let all = zip(Self.kinds, values).map { kind, values in
            values.map(\.trimmed).filter { !$0.isEmpty }.map { Card.Address.Component(kind, $0) }
        }
        let new = all.dropFirst(Self.old).flatMap(\.self)
        return all.enumerated().flatMap { index, components in
            Self.twins[index] == nil ? components : components.filter { !isRepeated($0, by: new) }
        }
    }

    /// Whether the part of an old component says only what these new ones say. A street has one name.
    private func isRepeated(_ part: Card.Address.Component, by new: [Card.Address.Component]) -> Bool {
        if part.kind == .name, new.contains(where: { $0.kind == .name }) { return true }
        let rest = new.map(\.value).sorted { $0.count > $1.count }.reduce(part.value) { $0.replacing($1, with: "") }
        return rest != part.value && rest.allSatisfy { $0.isWhitespace || $0.isPunctuation }
    }
}
