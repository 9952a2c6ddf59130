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

// MARK: - To the components of vCard

extension AddressLayout {
    /// The components of `ADR` for these parts, each with its values.
    ///
    /// Where parts are that only RFC 9554 has components for, all of them are
    /// used, and older readers find the parts among the old ones too. Before
    /// version 4.0 that is their only place.
    static func values(of parts: [Card.Address.Component], isOld: Bool) -> [[String]] {
        let parts = parts.filter { $0.kind != .separator }
        let of = { (kind: Card.Address.Kind) in parts.filter { $0.kind == kind }.map(\.value) }
        let values = kinds.enumerated().map { index, kind in
            twins[index].map { twins in parts.filter { twins.contains($0.kind) }.map(\.value) } ?? of(kind)
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}

// MARK: - What is said beside an address

extension AddressLayout {
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
