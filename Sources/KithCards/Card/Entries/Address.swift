extension Card {
    /// A postal address or another place (RFC 9553, section 2.5.1).
    public struct Address: CardEntry {
        /// The kind of a part of an address.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A room, a suite.
            case room
            /// An apartment; from vCards, everything that older programs write into the “extended address”.
            case apartment
            /// A floor, a level.
            case floor
            /// A building, a tower.
            case building
            /// A house number.
            case number
            /// The street; from vCards, often with the house number.
            case name
            /// A block, where houses are numbered by block.
            case block
            /// A part of a district.
            case subdistrict
            /// A part of a city.
            case district
            /// The city.
            case locality
            /// The province, the state, the canton.
            case region
            /// The postal code.
            case postcode
            /// The country, by its name.
            case country
            /// A direction within the city: `north`.
            case direction
            /// A landmark nearby.
            case landmark
            /// A post admin box.
            case postOfficeBox
            /// The separator between two ordered parts.
            case separator
        }

        /// One part of an address.
        public struct Component: Hashable, Sendable {
            /// The kind of the part.
            public var kind: Kind
            /// The text of the part.
            public var value: String

            /// A part of an address.
            public init(_ kind: Kind, _ value: String) { (self.kind, self.value) = (kind, value) }
        }

        /// Its id, unique among the addresses.
        public var id: String
        /// The parts, in the order of the card.
        public var components: [Component] = []
        /// Whether the parts are in the order in which to write them. If not, they are in the order of vCard: post
        /// admin box first.
        public var isOrdered = false
        /// The separator between ordered parts that have no explicit one.
        public var defaultSeparator: String?
        /// The full address as the card gives it, with line breaks.
        public var full: String?
        /// The country code in capitals (ISO 3166-1 alpha-2).
        public var countryCode: String?
        /// The position as a `geo:` URI (RFC 5870).
        public var coordinates: String?
        /// The name in the time zone database: `Europe/Vienna`.
        public var timeZone: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label. JSContact has none for addresses; vCard has.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An empty address.
        public init(id: String) { self.id = id }

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? { components.text(of: kind) }
    }
}
