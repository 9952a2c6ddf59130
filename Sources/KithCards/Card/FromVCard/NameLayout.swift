/// The parts of a name as `N` has them: five components (RFC 6350, section 6.2.2), and two more of RFC 9554.
struct NameLayout: ComponentLayout {
    /// What each component holds, and each value of SORT-AS stands for.
    static let kinds: [Card.Name.Kind] = [.surname, .given, .given2, .title, .credential, .surname2, .generation]
    static let old = 5
    static let freeText = 4
    /// Among which parts, for readers that know only the old components, those of new ones stand too.
    static let twins: [Card.Name.Kind: Card.Name.Kind] = [.surname: .surname2, .credential: .generation]

    let values: ArraySlice<[String]>

    init(_ components: [[String]]) { values = components.prefix(Self.kinds.count) }

    /// What stands behind the last component moves none before it.
    static func isMoved(_ components: [[String]]) -> Bool { false }

    /// The parts in vCard's order.
    var components: [Card.Name.Component] {
        var components: [Card.Name.Component] = []
        for (index, kind) in Self.kinds.enumerated() where index < values.count {
            for value in said(index) where !value.isEmpty { components.append(Card.Name.Component(kind, value)) }
        }
        return components
    }

    /// The values of a component without those that readers who know RFC 9554 find in another.
    ///
    /// A second surname is among the surnames too, a generation among the
    /// credentials: behind those that are surnames and credentials alone.
    private func said(_ index: Int) -> [String] {
        let said = values[index].map(\.trimmed)
        guard let twin = Self.twins[Self.kinds[index]].flatMap({ Self.kinds.firstIndex(of: $0) }), twin < values.count
        else {
            return said
        }
        var repeated = Dictionary(values[twin].map { ($0.trimmed, 1) }, uniquingKeysWith: +)
        let kept = said.reversed().filter { value in
            guard let count = repeated[value], count > 0 else { return true }
            repeated[value] = count - 1
            return false
        }
        return kept.reversed()
    }

    /// What these parts say of how those of another name sound: the values in the same places.
    func sounds(of components: [Card.Name.Component]) -> [String?] {
        var counts: [Card.Name.Kind: Int] = [:]
        return components.map { component in
            guard let index = Self.kinds.firstIndex(of: component.kind), index < values.count else { return nil }
            let number = counts[component.kind, default: 0]
            counts[component.kind] = number + 1
            guard number < values[index].count, !values[index][number].trimmed.isEmpty else { return nil }
            return values[index][number].trimmed
        }
    }
}

extension NameLayout {
    /// The components of `N` for these parts, each with its values.
    ///
    /// Older readers find second surnames among the surnames, and generations
    /// among the credentials (RFC 9554, section 2.2). Before version 4.0 that is
    /// their only place.
    static func values(of parts: [Card.Name.Component], isOld: Bool) -> [[String]] {
        var values = kinds.map { kind in parts.filter { $0.kind == kind }.map(\.value) }
        for (index, kind) in kinds.enumerated() {
            if let twin = twins[kind].flatMap({ kinds.firstIndex(of: $0) }) { values[index] += values[twin] }
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}
