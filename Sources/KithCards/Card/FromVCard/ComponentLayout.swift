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

/// The layout of a name or an address in the components of `N` or `ADR`.
protocol ComponentLayout {
    associatedtype Component: NamedComponent

    /// The kind of each component.
    static var kinds: [Component.PartKind] { get }
    /// The number of components in every version. RFC 9554 adds the others.
    static var old: Int { get }
    /// The index of the component in which programs forget the backslash before a semicolon.
    static var freeText: Int { get }

    /// The values of each component.
    var values: ArraySlice<[String]> { get }
    /// The parts in the order of vCard.
    var components: [Component] { get }

    /// Whether a semicolon in the text of ``freeText`` has shifted these components, of which there are too many.
    static func isMoved(_ components: [[String]]) -> Bool
}

extension ComponentLayout {
    /// The components of a property, as its version defines them.
    ///
    /// The components of RFC 9554 belong to version 4.0. If another version has surplus components, they are dropped if
    /// they add nothing. Otherwise its program wrote a semicolon without a backslash, and the text that it divides is
    /// joined.
    static func components(of property: VCard.Property) -> [[String]] {
        let components = property.components
        guard components.count > old, property.version != .v4_0 else { return components }
        let (kept, surplus) = (components[..<old], components[old...])
        let isEmpty = surplus.allSatisfy { $0.allSatisfy(\.trimmedASCII.isEmpty) }
        if isEmpty ? !isMoved(components) : components.count == kinds.count && isRepeated(surplus, in: kept) {
            return Array(kept)
        }
        let end = components.count - old + freeText
        var text = components[freeText]
        for part in components[freeText + 1...end] where part.contains(where: { !$0.trimmedASCII.isEmpty }) {
            text = text.dropLast() + [(text.last ?? "") + ";" + (part.first ?? "")] + part.dropFirst()
        }
        return components[..<freeText] + [text] + components[(end + 1)...]
    }

    /// The components of a property with the text that a semicolon without a backslash divides joined; nil if none does.
    static func joined(_ property: VCard.Property) -> [[String]]? {
        let components = components(of: property)
        return components.count == old && components != Array(property.components.prefix(old)) ? components : nil
    }

    /// Whether the surplus components are those of RFC 9554 in an older version, and only repeat the old components.
    private static func isRepeated(_ surplus: ArraySlice<[String]>, in kept: ArraySlice<[String]>) -> Bool {
        let known = Set(kept.joined().map(\.trimmedASCII))
        return surplus.joined().allSatisfy { $0.trimmedASCII.isEmpty || known.contains($0.trimmedASCII) }
    }

    /// Whether the components of every version can hold all of these parts.
    static func isPlain(_ parts: [Component]) -> Bool {
        parts.allSatisfy { $0.kind == Component.separator || kinds.prefix(old).contains($0.kind) }
    }

    /// The parts in the order of JSCOMPS; nil if JSCOMPS does not name exactly these parts.
    func ordered(by comps: JSComps) -> [Component]? {
        comps.ordered(values, count: components.count)?.map { index, text in
            Component(kind: index.map { Self.kinds[$0] } ?? Component.separator, value: text)
        }
    }

    /// The order of these parts, for JSCOMPS.
    static func order(of parts: [Component], defaultSeparator: String?) -> JSComps {
        let isPlain = isPlain(parts)
        var counts: [Component.PartKind: Int] = [:]
        let steps = parts.map { part in
            // If two components have the same kind, the newer one holds all of its values.
            let index = isPlain ? kinds.firstIndex(of: part.kind) : kinds.lastIndex(of: part.kind)
            guard let index else { return JSComps.Step.separator(part.value) }
            defer { counts[part.kind, default: 0] += 1 }
            return .part(component: index, value: counts[part.kind] ?? 0)
        }
        return JSComps(defaultSeparator: defaultSeparator, steps: steps)
    }
}
