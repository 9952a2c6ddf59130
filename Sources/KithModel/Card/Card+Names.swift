extension Card {
    /// What a card is called (RFC 9553, section 2.2.1).
    public struct Name: Hashable, Sendable {
        /// What a part of a name is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case title, given, given2, surname, surname2, credential, generation, separator
        }

        /// One part of a name.
        public struct Component: Hashable, Sendable {
            public var kind: Kind
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
        /// The whole name, as the card gives it.
        public var full: String?
        /// What to sort by in place of a part.
        public var sortAs: [Kind: String] = [:]

        /// A name without anything in it.
        public init() {}

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? {
            var joined: String?
            for component in components where component.kind == kind && !component.value.isEmpty {
                joined = joined.map { $0 + " " + component.value } ?? component.value
            }
            return joined
        }
    }

    /// A name by which people call someone (section 2.2.2).
    public struct Nickname: CardEntry {
        public var id: String
        public var name: String
        public var contexts: Set<Context> = []
        public var pref: Int?

        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// A company and the parts of it where someone is (section 2.2.3).
    public struct Organization: CardEntry {
        public var id: String
        public var name: String?
        public var units: [String] = []
        public var sortAs: String?
        public var contexts: Set<Context> = []

        public init(id: String, name: String?, units: [String] = []) {
            (self.id, self.name, self.units) = (id, name, units)
        }
    }

    /// A job title or a role (section 2.2.5).
    public struct Title: CardEntry {
        public enum Kind: String, Hashable, Sendable { case title, role }

        public var id: String
        public var kind: Kind
        public var name: String
        /// The organization's id.
        public var organization: String?

        public init(id: String, kind: Kind, name: String) { (self.id, self.kind, self.name) = (id, kind, name) }
    }

    /// How to speak to and of someone (section 2.2.4).
    public struct SpeakToAs: Hashable, Sendable {
        public enum Gender: String, Hashable, Sendable, CaseIterable {
            case animate, common, feminine, inanimate, masculine, neuter
        }

        public var grammaticalGender: Gender?
        public var pronouns: [String] = []

        public init() {}
    }
}
