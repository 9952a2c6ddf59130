/// The components of `N`: five from RFC 6350, section 6.2.2, and two from RFC 9554.
struct NameLayout: ComponentLayout {
    /// The kind of each component, and of each value of SORT-AS.
    static let kinds: [Card.Name.Kind] = [.surname, .given, .given2, .title, .credential, .surname2, .generation]
    static let old = 5
    static let freeText = 4
    /// The new kind whose values the component of an old kind also holds, for readers that know only the old
    /// components.
    static let twins: [Card.Name.Kind: Card.Name.Kind] = [.surname: .surname2, .credential: .generation]

    let values: ArraySlice<[String]>

    init(_ components: [[String]]) { values = components.prefix(Self.kinds.count) }

    /// The free text is the last old component, so a semicolon in it moves no other component.
    static func isMoved(_ components: [[String]]) -> Bool { false }

    /// The parts in the order of vCard.
    var components: [Card.Name.Component] {
        var components: [Card.Name.Component] = []
        for (index, kind) in Self.kinds.enumerated() where index < values.count {
            for value in said(index) where !value.isEmpty { components.append(Card.Name.Component(kind, value)) }
        }
        return components
    }

    /// The values of a component, without those that only repeat a component of RFC 9554.
    ///
    /// The surnames end with the second surnames, and the credentials with the generations.
    private func said(_ index: Int) -> [String] {
        let said = values[index].map(\.trimmedASCII)
        guard let twin = Self.twins[Self.kinds[index]].flatMap({ Self.kinds.firstIndex(of: $0) }), twin < values.count
        else {
            return said
        }
        var repeated = Dictionary(values[twin].map { ($0.trimmedASCII, 1) }, uniquingKeysWith: +)
        let kept = said.reversed().filter { value in
            guard let count = repeated[value], count > 0 else { return true }
            repeated[value] = count - 1
            return false
        }
        return kept.reversed()
    }

    /// The pronunciations of the parts of another name: the values at the same positions in this one.
    func sounds(of components: [Card.Name.Component]) -> [String?] {
        var counts: [Card.Name.Kind: Int] = [:]
        return components.map { component in
            guard let index = Self.kinds.firstIndex(of: component.kind), index < values.count else { return nil }
            let number = counts[component.kind, default: 0]
            counts[component.kind] = number + 1
            guard number < values[index].count, !values[index][number].trimmedASCII.isEmpty else { return nil }
            return values[index][number].trimmedASCII
        }
    }
}

extension NameLayout {
    /// The components of `N` for these parts, each with its values.
    ///
    /// For older readers, second surnames are repeated among the surnames, and generations among the credentials (RFC
    /// 9554, section 2.2). Before version 4.0, they are written only there.
    static func values(of parts: [Card.Name.Component], isOld: Bool) -> [[String]] {
        var values = kinds.map { kind in parts.filter { $0.kind == kind }.map(\.value) }
        for (index, kind) in kinds.enumerated() {
            if let twin = twins[kind].flatMap({ kinds.firstIndex(of: $0) }) { values[index] += values[twin] }
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}
