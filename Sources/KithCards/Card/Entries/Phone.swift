extension Card {
    /// A telephone number (section 2.3.3).
    public struct Phone: CardEntry {
        /// The use of a telephone number.
        public enum Feature: String, Hashable, Sendable, CaseIterable {
            /// A mobile telephone.
            case mobile
            /// Calls.
            case voice
            /// Text messages.
            case text
            /// Video calls.
            case video
            /// The main number of a company.
            case mainNumber = "main-number"
            /// A text telephone, for people who do not hear or speak.
            case textphone
            /// Facsimiles.
            case fax
            /// A pager.
            case pager
        }

        /// Its id, unique among the phones.
        public var id: String
        /// The number as written, or from a `tel:` URI, with `;ext=` as in RFC 3966. `PhoneNumberParser` parses it.
        public var number: String
        /// The uses of the number; empty if the card does not say.
        public var features: Set<Feature> = []
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A telephone number.
        public init(id: String, number: String) { (self.id, self.number) = (id, number) }
    }
}
