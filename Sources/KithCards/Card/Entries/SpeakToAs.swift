extension Card {
    /// How to address someone, and how to speak about them (section 2.2.4).
    public struct SpeakToAs: Hashable, Sendable {
        /// A grammatical gender. It says nothing about the person.
        public enum Gender: String, Hashable, Sendable, CaseIterable {
            /// A gender of JSContact.
            case animate, common, feminine, inanimate, masculine, neuter
        }

        /// The pronouns that someone has chosen.
        public struct Pronouns: CardEntry {
            /// Its id, unique among the pronouns.
            public var id: String
            /// The pronouns, in their usual form: `they/them`.
            public var pronouns: String
            /// The contexts of use; empty if the card gives none.
            public var contexts: Set<Context> = []
            /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
            public var pref: Int?
            /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
            public var vCardParameters = VCard.Parameters()

            /// Someone's pronouns.
            public init(id: String, pronouns: String) { (self.id, self.pronouns) = (id, pronouns) }
        }

        /// The grammatical gender for salutations, and for sentences about the person.
        public var grammaticalGender: Gender?
        /// The pronouns, in the order of the card.
        public var pronouns: [Pronouns] = []

        /// No grammatical gender and no pronouns.
        public init() {}
    }
}
