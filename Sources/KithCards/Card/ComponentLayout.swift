extension Card.Name.Component: NamedComponent {
    static var separator: Card.Name.Kind { .separator }
    init(kind: Card.Name.Kind, value: String) { self.init(kind, value) }
}

extension Card.Address.Component: NamedComponent {
    static var separator: Card.Address.Kind { .separator }
    init(kind: Card.Address.Kind, value: String) { self.init(kind, value) }
}

extension Array where Element: NamedComponent {
    /// The values of one kind, joined by spaces; nil if there are none.
    func text(of kind: Element.PartKind) -> String? {
        var joined: String?
        for component in self where component.kind == kind && !component.value.isEmpty {
            if joined == nil { joined = component.value } else { joined? += " " + component.value }
        }
        return joined
    }
}

/// The parts of a name or an address as the components of `N` or `ADR` have them.
protocol ComponentLayout {
    associatedtype Component: NamedComponent

    /// What each component holds.
    static var kinds: [Component.PartKind] { get }
    /// How many components every version knows. The others are RFC 9554's.
    static var old: Int { get }
    /// The component in which programs forget the backslash before a semicolon, counted from 0.
    static var freeText: Int { get }

    /// The values of each component.
    var values: ArraySlice<[String]> { get }
    /// The parts in vCard's order.
    var components: [Component] { get }

    /// Whether a semicolon in the text of ``freeText`` has moved these components, of which there are too many.
    static func isMoved(_ components: [[String]]) -> Bool
}

extension ComponentLayout {
    /// The components of a property, as its version knows them.
    ///
    /// The components of RFC 9554 belong to version 4.0. If another version has more than its own, its program wrote a
    /// semicolon without a backslash: then the text that it parts is put together.
    static func components(of property: VCard.Property) -> [[String]] {
        let components = property.components
        guard components.count > old, property.version != .v4_0 else { return components }
        let (kept, surplus) = (components[..<old], components[old...])
        let isEmpty = surplus.allSatisfy { $0.allSatisfy(\.trimmed.isEmpty) }
        if isEmpty ? !isMoved(components) : components.count == kinds.count && isRepeated(surplus, in: kept) {
            return Array(kept)
        }
        let end = components.count - old + freeText
        var text = components[freeText]
        for part in components[freeText + 1...end] where part.contains(where: { !$0.trimmed.isEmpty }) {
            text = text.dropLast() + [(text.last ?? "") + ";" + (part.first ?? "")] + part.dropFirst()
        }
        return components[..<freeText] + [text] + components[(end + 1)...]
    }

    /// Whether a program has written the components of RFC 9554, which the old ones repeat, into an older version.
    private static func isRepeated(_ surplus: ArraySlice<[String]>, in kept: ArraySlice<[String]>) -> Bool {
        let known = Set(kept.joined().map(\.trimmed))
        return surplus.joined().allSatisfy { $0.trimmed.isEmpty || known.contains($0.trimmed) }
    }

    /// Whether the components that every version knows say all of these parts.
    static func isPlain(_ parts: [Component]) -> Bool {
        parts.allSatisfy { $0.kind == Component.separator || kinds.prefix(old).contains($0.kind) }
    }

    /// The parts in the order of JSCOMPS; nil if that is not an order of these parts.
    func ordered(by comps: JSComps) -> [Component]? {
        comps.ordered(values, count: components.count)?.map { index, text in
            Component(kind: index.map { Self.kinds[$0] } ?? Component.separator, value: text)
        }
    }

    /// The order of these parts, as JSCOMPS says it.
    static func order(of parts: [Component], defaultSeparator: String?) -> JSComps {
        let isPlain = isPlain(parts)
        var counts: [Component.PartKind: Int] = [:]
        let steps = parts.map { part in
            // Of two components for one kind the newer one has all of it.
            let index = isPlain ? kinds.firstIndex(of: part.kind) : kinds.lastIndex(of: part.kind)
            guard let index else { return JSComps.Step.separator(part.value) }
            defer { counts[part.kind, default: 0] += 1 }
            return .part(component: index, value: counts[part.kind] ?? 0)
        }
        return JSComps(defaultSeparator: defaultSeparator, steps: steps)
    }
}
