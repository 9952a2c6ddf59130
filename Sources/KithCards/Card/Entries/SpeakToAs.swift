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
            /// Its key among the pronouns.
            public var id: String
            /// As they are said: `they/them`.
            public var pronouns: String
            /// Where they are used.
            public var contexts: Set<Context> = []
            /// Which to prefer: 1 most, 100 least; nil less than any.
            public var pref: Int?
            /// What its vCard says besides: ``CardEntry/vCardParameters``.
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
