extension Card {
    /// A day that comes back each year (RFC 9553, section 2.8.1).
    public struct Anniversary: CardEntry {
        /// What the day is the anniversary of.
        public enum Kind: String, Hashable, Sendable {
            /// The day of a birth, a death or a wedding.
            case birth, death, wedding
            /// What ``Anniversary/label`` says. JSContact has no such kind, vCards do.
            case other
        }

        /// A date of which parts may be unknown: a birthday without a year.
        public enum Day: Hashable, Sendable {
            /// The parts that are known; at least one is (RFC 6350, section 4.3.1).
            case date(year: Int?, month: Int?, day: Int?)
            /// A moment in UTC, as RFC 3339 writes it.
            case moment(String)
            /// What no rule reads, as it was written: `circa 1800`.
            case text(String)
        }

        /// Where someone was born or has died (RFC 6474): in words, by its coordinates, or both.
        public struct Place: Hashable, Sendable {
            /// The place in words, as the card gives them.
            public var full: String?
            /// A `geo:` URI (RFC 5870).
            public var coordinates: String?

            /// A place.
            public init(full: String? = nil, coordinates: String? = nil) {
                (self.full, self.coordinates) = (full, coordinates)
            }
        }

        /// Its key among the anniversaries.
        public var id: String
        /// What it is the anniversary of.
        public var kind: Kind
        /// When it was for the first time.
        public var day: Day
        /// What its owner calls it, in words for people.
        public var label: String?
        /// Where it was, of births and deaths. Of several births a vCard tells the place of the first, and so of deaths.
        public var place: Place?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A day that comes back each year.
        public init(id: String, kind: Kind, day: Day) { (self.id, self.kind, self.day) = (id, kind, day) }
    }

    /// A remark (section 2.8.3).
    public struct Note: CardEntry {
        /// Who has made a remark.
        public struct Author: Hashable, Sendable {
            /// The author's name.
            public var name: String?
            /// A URI of the author's: `mailto:ada@example.com`.
            public var uri: String?

            /// An author.
            public init(name: String? = nil, uri: String? = nil) { (self.name, self.uri) = (name, uri) }
        }

        /// Its key among the notes.
        public var id: String
        /// The remark itself.
        public var note: String
        /// Who has made it; nil if the card does not say.
        public var author: Author?
        /// When it was made: a moment in UTC as RFC 3339 writes it; nil if the card does not say.
        public var created: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A remark.
        public init(id: String, note: String) { (self.id, self.note) = (id, note) }
    }

    /// Someone else, and what they are to the one on the card (section 2.1.8).
    public struct Relation: CardEntry {
        /// Its key among the relations. In JSContact ``other`` is the key.
        public var id: String
        /// The other's uid or URI, or a name where the card gives only that.
        public var other: String
        /// `spouse`, `child`, `friend` …; empty if the card does not say.
        public var relations: Set<String>
        /// What its owner calls it, in words for people. JSContact has none for relations, vCards do.
        public var label: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// Someone, and what they are to the one on the card.
        public init(id: String, other: String, relations: Set<String>) {
            (self.id, self.other, self.relations) = (id, other, relations)
        }
    }

    /// An expertise, a hobby, an interest (section 2.8.4).
    public struct PersonalInfo: CardEntry {
        /// Which of the three it is.
        public enum Kind: String, Hashable, Sendable {
            /// A kind of JSContact.
            case expertise, hobby, interest
        }
        /// How much of it there is.
        public enum Level: String, Hashable, Sendable {
            /// A level of JSContact.
            case high, medium, low
        }

        /// Its key among its like.
        public var id: String
        /// An expertise, a hobby or an interest.
        public var kind: Kind
        /// The thing itself.
        public var value: String
        /// How expert, or how interested; nil if the card does not say.
        public var level: Level?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An expertise, a hobby or an interest.
        public init(id: String, kind: Kind, value: String) { (self.id, self.kind, self.value) = (id, kind, value) }
    }
}
