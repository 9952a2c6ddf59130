extension Card {
    /// An anniversary, such as a birthday (RFC 9553, section 2.8.1).
    public struct Anniversary: CardEntry {
        /// The event of an anniversary.
        public enum Kind: String, Hashable, Sendable {
            /// A birth, a death or a wedding.
            case birth, death, wedding
            /// Another event, which ``Anniversary/label`` names. JSContact has no such kind; vCard does.
            case other
        }

        /// A date, possibly partial, such as a birthday without a year.
        public enum Day: Hashable, Sendable {
            /// The known parts of the date; at least one (RFC 6350, section 4.3.1).
            case date(year: Int?, month: Int?, day: Int?)
            /// A moment as RFC 3339 writes it, in the zone in which the card gives it. ``civilDay`` is the day there.
            case moment(String)
            /// A text that is no date, as written: `circa 1800`.
            case text(String)
        }

        /// The place of a birth or a death (RFC 6474): in words, as coordinates, or both.
        public struct Place: Hashable, Sendable {
            /// The place in words, as the card gives them.
            public var full: String?
            /// The position as a `geo:` URI (RFC 5870).
            public var coordinates: String?

            /// A place.
            public init(full: String? = nil, coordinates: String? = nil) {
                (self.full, self.coordinates) = (full, coordinates)
            }
        }

        /// Its id, unique among the anniversaries.
        public var id: String
        /// The event.
        public var kind: Kind
        /// The date of the event.
        public var day: Day
        /// The owner’s label.
        public var label: String?
        /// The place of a birth or a death. A vCard can hold it only for the first birth and the first death of a card.
        public var place: Place?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An anniversary.
        public init(id: String, kind: Kind, day: Day) { (self.id, self.kind, self.day) = (id, kind, day) }
    }
}

extension Card.Anniversary.Day {
    /// Parses a day in vCard form. Midnight in any zone counts as the date alone, because many programs cannot write a
    /// date without a time.
    init(_ text: String) {
        guard let date = DateAndTime(text) else {
            self = .text(text)
            return
        }
        if let time = date.time, !time.isMidnight, let moment = date.momentInItsZone {
            self = .moment(moment)
        } else {
            self = .date(year: date.year, month: date.month, day: date.day)
        }
    }

    /// The day without the time: of a moment, the day in the zone in which the card gives it.
    ///
    /// Somebody who was born at 23:30 in New York has the birthday of that day, also in Vienna.
    public var civilDay: Self {
        guard case .moment(let text) = self, let date = DateAndTime(text) else { return self }
        return .date(year: date.year, month: date.month, day: date.day)
    }

    /// Whether it is a moment in another zone than UTC.
    var isInOtherZone: Bool {
        guard case .moment(let text) = self, let zone = DateAndTime(text)?.time?.zone else { return false }
        return zone != 0
    }
}
