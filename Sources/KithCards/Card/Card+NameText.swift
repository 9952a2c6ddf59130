extension Card.Name {
    /// The whole name as people read it: as the card gives it, else put together from its parts; nil if it has neither.
    ///
    /// Parts that have an order stand in it. Names of Chinese, Japanese or Korean letters begin with the family's and
    /// have no space. Others stand as most of the world says them: the given name first.
    package var displayText: String? {
        if let full, full.contains(where: { !$0.isWhitespace }) { return full }
        let text = isOrdered ? orderedText : (ideographicText ?? spokenText)
        return text.isEmpty ? nil : text
    }

    private var orderedText: String {
        var text = ""
        var separator: String?
        for component in components {
            if component.kind == .separator {
                separator = component.value
            } else {
                if !text.isEmpty { text += separator ?? defaultSeparator ?? " " }
                text += component.value
                separator = nil
            }
        }
        return text
    }

    private var ideographicText: String? {
        guard let family = self[.surname], let given = self[.given] else { return nil }
        let text = family + given
        return text.unicodeScalars.allSatisfy(\.isIdeographic) ? text : nil
    }

    private var spokenText: String {
        let order: [Kind] = [.title, .given, .given2, .surname, .surname2, .generation, .credential]
        return order.compactMap { self[$0] }.joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter of Chinese, Japanese or Korean.
    fileprivate var isIdeographic: Bool {
        switch value {
        case 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
        default: false
        }
    }
}

extension Card {
    /// What to call a card that has no name, for readers that need one.
    var anyName: String? {
        organizations.first?.name ?? organizations.first?.units.first ?? nicknames.first?.name
            ?? emails.first?.address ?? phones.first?.number ?? onlineServices.first?.user
    }
}
