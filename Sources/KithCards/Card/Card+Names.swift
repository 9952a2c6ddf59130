extension Card {
    /// What a card is called (RFC 9553, section 2.2.1).
    public struct Name: Hashable, Sendable {
        /// What a part of a name is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Before the name: `Dr.`, `Ms`.
            case title
            /// The name given at birth.
            case given
            /// Further given names.
            case given2
            /// The name of the family.
            case surname
            /// The second name of the family, as Spanish names have it.
            case surname2
            /// After the name: `PhD`, `Esq.`.
            case credential
            /// Which of several of that name: `Jr.`, `III`.
            case generation
            /// What stands between two parts of a name whose parts are ordered.
            case separator
        }

        /// One part of a name.
        public struct Component: Hashable, Sendable {
            /// What the part is.
            public var kind: Kind
            /// The part itself.
            public var value: String
            /// How it is pronounced, in letters.
            public var phonetic: String?

            /// A part of a name.
            public init(_ kind: Kind, _ value: String, phonetic: String? = nil) {
                self.kind = kind
                self.value = value
                self.phonetic = phonetic
            }
        }

        /// The parts, in the order of the card.
        public var components: [Component] = []
        /// Whether the order of the parts is the order to say them in. If not, they stand in vCard's: surname first.
        public var isOrdered = false
        /// What stands between ordered parts where no separator does; nil is a space.
        public var defaultSeparator: String?
        /// The whole name, as the card gives it; nil if it gives only parts.
        public var full: String?
        /// What to sort by in place of a part.
        public var sortAs: [Kind: String] = [:]
        /// How the sounds of the parts are written: `ipa`, `jyut`, `piny`; nil if the card does not say.
        public var phoneticSystem: String?
        /// In which script the sounds of the parts are written, as a tag of RFC 5646; nil if the card does not say.
        public var phoneticScript: String?
        /// What the `N` of its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A name without anything in it.
        public init() {}

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? { components.text(of: kind) }
    }

    /// A name by which people call someone (section 2.2.2).
    public struct Nickname: CardEntry {
        /// Its key among the nicknames.
        public var id: String
        /// The nickname itself.
        public var name: String
        /// Where it is used.
        public var contexts: Set<Context> = []
        /// Which to prefer: 1 most, 100 least; nil less than any.
        public var pref: Int?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A nickname.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// A company and the parts of it where someone is (section 2.2.3).
    public struct Organization: CardEntry {
        /// Its key among the organizations; ``Title/organization`` refers to it.
        public var id: String
        /// What the organization is called.
        public var name: String?
        /// Its departments, the larger before the smaller.
        public var units: [String] = []
        /// What to sort by in place of its name.
        public var sortAs: String?
        /// Where someone belongs to it.
        public var contexts: Set<Context> = []
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An organization, or a part of one.
        public init(id: String, name: String?, units: [String] = []) {
            (self.id, self.name, self.units) = (id, name, units)
        }
    }

    /// A job title or a role (section 2.2.5).
    public struct Title: CardEntry {
        /// Which of the two it is.
        public enum Kind: String, Hashable, Sendable {
            /// What is on the door: `Head of Research`.
            case title
            /// What someone does: `Project leader`.
            case role
        }

        /// Its key among the titles.
        public var id: String
        /// A title or a role.
        public var kind: Kind
        /// The title itself.
        public var name: String
        /// The id of the organization in which it is held.
        public var organization: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A title or a role.
        public init(id: String, kind: Kind, name: String) { (self.id, self.kind, self.name) = (id, kind, name) }
    }

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
