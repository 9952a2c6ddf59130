/// The components of `ADR`: seven from RFC 6350, section 6.3.1, and eleven from RFC 9554.
struct AddressLayout: ComponentLayout {
    /// The kind of each component.
    static let kinds: [Card.Address.Kind] =
        [.postOfficeBox, .apartment, .name, .locality, .region, .postcode, .country]
        + [
            .room, .apartment, .floor, .number, .name, .building, .block, .subdistrict, .district, .landmark,
            .direction,
        ]
    static let old = 7
    static let freeText = 2
    /// The kinds whose values an old component also holds, by its index, for readers that know only the old components.
    static let twins: [Int: [Card.Address.Kind]] = [
        1: [.room, .floor, .apartment, .building],
        2: [.number, .name, .block, .direction, .landmark, .subdistrict, .district],
    ]

    let values: ArraySlice<[String]>

    init(_ components: [[String]]) { values = components.prefix(Self.kinds.count) }

    /// Digits in the country are a shifted postal code. A component that begins with a blank is the rest of a street.
    static func isMoved(_ components: [[String]]) -> Bool {
        components[old - 1].joined().contains(where: \.isNumber)
            || components[freeText + 1].first?.first?.isWhitespace == true
    }

    /// The parts in the order of vCard, without those that an old component only repeats.
    var components: [Card.Address.Component] {
        let all = zip(Self.kinds, values).map { kind, values in
            values.map(\.trimmedASCII).filter { !$0.isEmpty }.map { Card.Address.Component(kind, $0) }
        }
        let new = all.dropFirst(Self.old).flatMap(\.self)
        return all.enumerated().flatMap { index, components in
            Self.twins[index] == nil ? components : components.filter { !isRepeated($0, by: new) }
        }
    }

    /// Whether a part of an old component only repeats these parts of new components. A street has one name, so a
    /// second name is a repetition.
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
    /// If some parts have a component only in RFC 9554, all components are written, and the old ones repeat these parts
    /// for older readers. Before version 4.0, only the old components are written.
    static func values(of parts: [Card.Address.Component], isOld: Bool) -> [[String]] {
        let parts = parts.filter { $0.kind != .separator }
        let of = { (kind: Card.Address.Kind) in parts.filter { $0.kind == kind }.map(\.value) }
        let values = kinds.enumerated().map { index, kind in
            twins[index].map { twins in parts.filter { twins.contains($0.kind) }.map(\.value) } ?? of(kind)
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}

// MARK: - Coordinates, time zone and country

extension AddressLayout {
    /// The `geo:` URI for a position as vCards write it: `geo:48.2,16.4`, or `48.2;16.4` in versions 2.1 and 3.0. Nil
    /// if the text is no position.
    static func coordinates(_ text: String) -> String? {
        let text = text.trimmedASCII
        if let place = text.afterPrefix("geo:") { return place.isEmpty ? nil : text }
        let numbers = text.split(whereSeparator: { $0 == ";" || $0 == "," }).map { String($0).trimmedASCII }
        guard numbers.count == 2, let latitude = Double(numbers[0]), let longitude = Double(numbers[1]),
            -90...90 ~= latitude, -180...180 ~= longitude
        else { return nil }
        return "geo:\(numbers[0]),\(numbers[1])"
    }

    /// The name in the time zone database for a zone as vCards write it; nil if the text is neither such a name nor an
    /// offset that has one.
    static func timeZone(_ text: String) -> String? {
        let text = text.trimmedASCII
        if let zone = DateAndTime.zoneName(ofOffset: text) { return zone }
        return text.contains("/") && !text.contains(where: \.isWhitespace) && !text.contains(":") ? text : nil
    }

    /// Two letters in capitals; nil if the text is anything else. Some programs write whole addresses into X-ABADR.
    static func countryCode(_ text: String) -> String? {
        let code = text.trimmedASCII.uppercased()
        return code.utf8.count == 2 && code.utf8.allSatisfy { 0x41...0x5A ~= $0 } ? code : nil
    }
}
