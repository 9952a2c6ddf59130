extension Card {
    /// Something that a card points to or carries: a photo, a link, a calendar, a key (RFC 9553, section 1.4.4).
    public struct Resource: CardEntry {
        /// What it is; the property of the card that holds it says the rest.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case photo, sound, logo
            case calendar, freeBusy
            case directory, entry
            /// A link by which to reach someone.
            case contact
        }

        /// Where it is.
        public enum Content: Hashable, Sendable {
            case uri(String)
            /// In the card itself. ``VCard/data(of:)`` decodes it when it is wanted: a
            /// photo is most of a card, and an address book has thousands.
            /// - Parameters:
            ///   - size: Bytes of the property as it was written.
            ///   - digest: 64 bits that stand for these, so that another photo is another card.
            case embedded(size: Int, digest: UInt64)
        }

        public var id: String
        public var kind: Kind?
        public var content: Content
        /// As in RFC 2046: `image/jpeg`.
        public var mediaType: String?
        public var contexts: Set<Context> = []
        public var pref: Int?
        public var label: String?

        public init(id: String, kind: Kind? = nil, content: Content, mediaType: String? = nil) {
            (self.id, self.kind, self.content, self.mediaType) = (id, kind, content, mediaType)
        }
    }

    /// A day that comes back each year (section 2.8.1).
    public struct Anniversary: CardEntry {
        public enum Kind: String, Hashable, Sendable { case birth, death, wedding, other }

        /// A date of which parts may be unknown, as RFC 6350 section 4.3.1 allows: a birthday without a year.
        public enum Day: Hashable, Sendable {
            case date(year: Int?, month: Int?, day: Int?)
            /// A moment, as RFC 3339 writes it.
            case moment(String)
            /// What no rule reads, as it was written.
            case text(String)
        }

        public var id: String
        public var kind: Kind
        public var day: Day
        public var label: String?

        public init(id: String, kind: Kind, day: Day) { (self.id, self.kind, self.day) = (id, kind, day) }
    }

    /// A remark (section 2.8.3).
    public struct Note: CardEntry {
        public var id: String
        public var note: String

        public init(id: String, note: String) { (self.id, self.note) = (id, note) }
    }

    /// Someone else, and what they are to the one on the card (section 2.1.8).
    public struct Relation: CardEntry {
        public var id: String
        /// The other's uid or URI, or a name where the card gives only that.
        public var other: String
        /// `spouse`, `child`, `friend` …; empty if the card does not say.
        public var relations: Set<String>

        public init(id: String, other: String, relations: Set<String>) {
            (self.id, self.other, self.relations) = (id, other, relations)
        }
    }

    /// An expertise, a hobby, an interest (section 2.8.4).
    public struct PersonalInfo: CardEntry {
        public enum Kind: String, Hashable, Sendable { case expertise, hobby, interest }

        public var id: String
        public var kind: Kind
        public var value: String
        public var level: String?

        public init(id: String, kind: Kind, value: String) { (self.id, self.kind, self.value) = (id, kind, value) }
    }
}
