import KithCards

extension AddressBook {
    /// Which part of a name contacts are sorted by first.
    public enum NameOrder: String, Hashable, Sendable, Codable, CaseIterable {
        /// `Lovelace, Ada`.
        case familyFirst
        /// `Ada Lovelace`.
        case givenFirst
    }
}

extension AddressBook.Contact {
    /// What to show: the full name as the card gives it, else its parts, else a nickname, the company, an email, a number.
    ///
    /// Never empty: a card without any of these is shown as `…`.
    public var displayName: String {
        first { $0.name.displayText } ?? first { $0.nicknames.first?.name } ?? organization
            ?? first { $0.emails.first?.address } ?? first { $0.phones.first?.number } ?? "…"
    }

    /// The company that is named first.
    public var organization: String? { first { $0.organizations.first?.shown } }

    /// What it is sorted by, as text: `Lovelace, Ada`.
    public var sortName: String { sortFields.joined(separator: ", ") }

    /// What it is sorted by, the weightiest first.
    ///
    /// How a name is pronounced goes before how it is written, and what the card wants to be sorted by before both.
    var sortFields: [String] {
        for card in filed.lazy.map(\.card) {
            let fields = card.name.sortFields(order)
            if !fields.isEmpty { return fields }
        }
        if let sortAs = first({ $0.organizations.first?.sortAs }) { return [sortAs] }
        return [displayName]
    }

    private func first(_ text: (Card) -> String?) -> String? {
        for card in filed {
            if let text = text(card.card), text.contains(where: { !$0.isWhitespace }) { return text }
        }
        return nil
    }
}

extension Card.Name {
    func sortFields(_ order: AddressBook.NameOrder) -> [String] {
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
