extension Card {
    /// An expertise, a hobby or an interest (section 2.8.4).
    public struct PersonalInfo: CardEntry {
        /// Which of the three it is.
        public enum Kind: String, Hashable, Sendable {
            /// A kind of JSContact.
            case expertise, hobby, interest
        }
        /// The level of an expertise, a hobby or an interest.
        public enum Level: String, Hashable, Sendable {
            /// A level of JSContact.
            case high, medium, low
        }

        /// Its id, unique within its family.
        public var id: String
        /// An expertise, a hobby or an interest.
        public var kind: Kind
        /// The expertise, hobby or interest itself: `chess`.
        public var value: String
        /// The level; nil if the card does not say.
        public var level: Level?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An expertise, a hobby or an interest.
        public init(id: String, kind: Kind, value: String) { (self.id, self.kind, self.value) = (id, kind, value) }
    }
}

extension Card.PersonalInfo.Level {
    /// The level for a word of LEVEL, which is in small letters; nil if there is none.
    init?(vCardWord word: String) {
        switch word {
        case "expert", "high": self = .high
        case "average", "medium": self = .medium
        case "beginner", "low": self = .low
        default: return nil
        }
    }

    /// The word of LEVEL for it.
    func vCardWord(for kind: Card.PersonalInfo.Kind) -> String {
        guard kind == .expertise else { return rawValue }
        return switch self {
        case .high: "expert"
        case .medium: "average"
        case .low: "beginner"
        }
    }
}
