extension Card {
    /// A telephone number (section 2.3.3).
    public struct Phone: CardEntry {
        /// What the number is for.
        public enum Feature: String, Hashable, Sendable, CaseIterable {
            /// A telephone that is carried about.
            case mobile
            /// Calls.
            case voice
            /// Text messages.
            case text
            /// Video calls.
            case video
            /// The number to which the others of a company belong.
            case mainNumber = "main-number"
            /// A telephone with a keyboard, for people who do not hear or speak.
            case textphone
            /// Facsimiles.
            case fax
            /// A pager.
            case pager
        }

        /// Its key among the phones.
        public var id: String
        /// As it was written, or what a `tel:` URI says, with `;ext=` as in RFC 3966; `PhoneNumberParser` reads it.
        public var number: String
        /// What it is for; empty if the card does not say.
        public var features: Set<Feature> = []
        /// Where it rings.
        public var contexts: Set<Context> = []
        /// Which to prefer: 1 most, 100 least; nil less than any.
        public var pref: Int?
        /// What its owner calls it, in words for people.
        public var label: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A telephone number.
        public init(id: String, number: String) { (self.id, self.number) = (id, number) }
    }
}
