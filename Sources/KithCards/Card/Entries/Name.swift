extension Card {
    /// A name (RFC 9553, section 2.2.1).
    public struct Name: Hashable, Sendable {
        /// The kind of a part of a name.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A title before the name: `Dr.`, `Ms`.
            case title
            /// The given name.
            case given
            /// Further given names.
            case given2
            /// The family name.
            case surname
            /// The second family name, as in Spanish names.
            case surname2
            /// A credential after the name: `PhD`, `Esq.`.
            case credential
            /// The generation: `Jr.`, `III`.
            case generation
            /// The separator between two ordered parts.
            case separator
        }

        /// One part of a name.
        public struct Component: Hashable, Sendable {
            /// The kind of the part.
            public var kind: Kind
            /// The text of the part.
            public var value: String
            /// The pronunciation, in letters.
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
        /// Whether the parts are in the order in which to say them. If not, they are in the order of vCard: surname
        /// first.
        public var isOrdered = false
        /// The separator between ordered parts that have no explicit one; nil for a space.
        public var defaultSeparator: String?
        /// The full name as the card gives it; nil if it gives only parts.
        public var full: String?
        /// The sort keys, by the kind of the parts that they replace.
        public var sortAs: [Kind: String] = [:]
        /// The system of the pronunciations: `ipa`, `jyut`, `piny`; nil if the card does not say.
        public var phoneticSystem: String?
        /// The script of the pronunciations, as a tag of RFC 5646; nil if the card does not say.
        public var phoneticScript: String?
        /// Further parameters of `N` in its vCard: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An empty name.
        public init() {}

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? { components.text(of: kind) }
    }
}

extension Card.Name {
    /// The name for display: the full name of the card, else one composed of the parts; nil if it has neither.
    ///
    /// Ordered parts keep their order. Names in Chinese, Japanese or Korean characters begin with the family name and
    /// have no space. Other names begin with the given name.
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
    /// Whether it is a Chinese, Japanese or Korean character.
    fileprivate var isIdeographic: Bool {
        switch value {
        case 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
        default: false
        }
    }
}
