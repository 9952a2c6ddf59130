extension Card {
    /// A place where mail goes or someone lives (RFC 9553, section 2.5.1).
    public struct Address: CardEntry {
        /// What a part of an address is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A room, a suite.
            case room
            /// An apartment; in vCards, all that older programs write into the “extended address”.
            case apartment
            /// A floor, a level.
            case floor
            /// A building, a tower.
            case building
            /// The number of a house.
            case number
            /// The street; in vCards, with its number.
            case name
            /// A block, where houses are counted by it.
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
            /// Where in the city: `north`.
            case direction
            /// What stands near it.
            case landmark
            /// A box at the post office.
            case postOfficeBox
            /// What stands between two parts of an address whose parts are ordered.
            case separator
        }

        /// One part of an address.
        public struct Component: Hashable, Sendable {
            /// What the part is.
            public var kind: Kind
            /// The part itself.
            public var value: String

            /// A part of an address.
            public init(_ kind: Kind, _ value: String) { (self.kind, self.value) = (kind, value) }
        }

        /// Its id, unique among the addresses.
        public var id: String
        /// The parts, in the order of the card.
        public var components: [Component] = []
        /// Whether the order of the parts is the order to write them in. If not, they stand in vCard's: the box first.
        public var isOrdered = false
        /// What stands between ordered parts where no separator does.
        public var defaultSeparator: String?
        /// The whole address, as the card gives it, in lines.
        public var full: String?
        /// Two letters of ISO 3166-1, in capitals.
        public var countryCode: String?
        /// A `geo:` URI (RFC 5870).
        public var coordinates: String?
        /// A name of the time zone database: `Europe/Vienna`.
        public var timeZone: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label. JSContact has none for addresses; vCard has.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An address with nothing in it yet.
        public init(id: String) { self.id = id }

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? { components.text(of: kind) }
    }
}
