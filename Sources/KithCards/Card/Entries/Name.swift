extension Card {
    /// What a card is called (RFC 9553, section 2.2.1).
    public struct Name: Hashable, Sendable {
        /// What a part of a name is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Before the name: `Dr.`, `Ms`.
            case title
            /// The name given at birth.
            case given
            /// Further given names.
            case given2
            /// The name of the family.
            case surname
            /// The second name of the family, as Spanish names have it.
            case surname2
            /// After the name: `PhD`, `Esq.`.
            case credential
            /// Which of several of that name: `Jr.`, `III`.
            case generation
            /// What stands between two parts of a name whose parts are ordered.
            case separator
        }

        /// One part of a name.
        public struct Component: Hashable, Sendable {
            /// What the part is.
            public var kind: Kind
            /// The part itself.
            public var value: String
            /// How it is pronounced, in letters.
            public var phonetic: String?

            /// A part of a name.
            public init(_ kind: Kind, _ value: String, phonetic: String? = nil) {
                self.kind = kind
                self.value = value
                self.phonetic = phonetic
            }
        }

        /// The parts, in the order of the card.
        public var components: [Component] = []
        /// Whether the order of the parts is the order to say them in. If not, they stand in vCard's: surname first.
        public var isOrdered = false
        /// What stands between ordered parts where no separator does; nil is a space.
        public var defaultSeparator: String?
        /// The whole name, as the card gives it; nil if it gives only parts.
        public var full: String?
        /// What to sort by in place of a part.
        public var sortAs: [Kind: String] = [:]
        /// How the sounds of the parts are written: `ipa`, `jyut`, `piny`; nil if the card does not say.
        public var phoneticSystem: String?
        /// In which script the sounds of the parts are written, as a tag of RFC 5646; nil if the card does not say.
        public var phoneticScript: String?
        /// Further parameters of `N` in its vCard: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A name without anything in it.
        public init() {}

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? { components.text(of: kind) }
    }
}

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
