import KithCards

/// The part of a name by which contacts are sorted first.
public enum NameOrder: String, Hashable, Sendable, Codable, CaseIterable {
    /// `Lovelace, Ada`.
    case familyFirst
    /// `Ada Lovelace`.
    case givenFirst
}

extension Card.Name {
    func sortFields(_ order: NameOrder) -> [String] {
        let family = sortText(.surname) ?? sortText(.surname2)
        let given = sortText(.given)
        let fields = order == .familyFirst ? [family, given] : [given, family]
        let present = fields.compactMap(\.self)
        if present.isEmpty { return displayText.map { [$0] } ?? [] }
        return present + [sortText(.given2), sortText(.generation)].compactMap(\.self)
    }

    private func sortText(_ kind: Kind) -> String? {
        if let sortAs = sortAs[kind], !sortAs.isEmpty { return sortAs }
        var joined: String?
        for component in components where component.kind == kind {
            let text = component.phonetic ?? component.value
            if !text.isEmpty, joined != nil { joined? += " " + text } else if !text.isEmpty { joined = text }
        }
        return joined
    }
}

extension Card.Organization {
    /// The company, else the first of its units.
    var shown: String? { name ?? units.first { !$0.isEmpty } }
}
