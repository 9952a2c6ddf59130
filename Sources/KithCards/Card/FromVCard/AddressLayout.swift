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
