extension Card {
    /// How to speak to and of someone (section 2.2.4).
    public struct SpeakToAs: Hashable, Sendable {
        /// A gender of grammar. It says nothing of the person.
        public enum Gender: String, Hashable, Sendable, CaseIterable {
            /// A gender of JSContact.
            case animate, common, feminine, inanimate, masculine, neuter
        }

        /// The pronouns that someone has chosen.
        public struct Pronouns: CardEntry {
            /// Its id, unique among the pronouns.
            public var id: String
            /// As they are said: `they/them`.
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

        /// The gender of salutations and of what is said of someone.
        public var grammaticalGender: Gender?
        /// The pronouns, in the order of the card.
        public var pronouns: [Pronouns] = []

        /// Nothing about how to speak.
        public init() {}
    }
}
