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

        /// Its id, unique among the anniversaries.
        public var id: String
        /// What it is the anniversary of.
        public var kind: Kind
        /// When it was for the first time.
        public var day: Day
        /// The owner’s label.
        public var label: String?
        /// Where it was, of births and deaths. Of several births a vCard tells the place of the first, and so of deaths.
        public var place: Place?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A day that comes back each year.
        public init(id: String, kind: Kind, day: Day) { (self.id, self.kind, self.day) = (id, kind, day) }
    }
}

extension Card.Anniversary.Day {
    /// The day that a vCard writes so. The very beginning of a day of UTC is the day: many programs have no other way.
    init(_ text: String) {
        guard let date = DateAndTime(text) else {
            self = .text(text)
            return
        }
        if let time = date.time, time.zone != nil, !time.isMidnight, let moment = date.moment {
            self = .moment(moment)
        } else {
            self = .date(year: date.year, month: date.month, day: date.day)
        }
    }
}
