extension Card {
    /// An email address (RFC 9553, section 2.3.1).
    public struct Email: CardEntry {
        /// Its key among the emails.
        public var id: String
        /// As it was written; `EmailAddress` has its canonical form.
        public var address: String
        /// Where it is used.
        public var contexts: Set<Context> = []
        /// Which to prefer: 1 most, 100 least; nil less than any.
        public var pref: Int?
        /// What its owner calls it, in words for people.
        public var label: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An email address.
        public init(id: String, address: String) { (self.id, self.address) = (id, address) }
    }

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

    /// A messenger, a network, a page where someone is (section 2.3.2).
    public struct OnlineService: CardEntry {
        /// Its key among the services.
        public var id: String
        /// What the service is called: `Mastodon`, `XMPP`.
        public var service: String?
        /// Where someone is found there.
        public var uri: String?
        /// What someone is called there.
        public var user: String?
        /// Where it is used.
        public var contexts: Set<Context> = []
        /// Which to prefer: 1 most, 100 least; nil less than any.
        public var pref: Int?
        /// What its owner calls it, in words for people.
        public var label: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A service at which someone is. One of `uri` and `user` is there.
        public init(id: String, service: String? = nil, uri: String? = nil, user: String? = nil) {
            (self.id, self.service, self.uri, self.user) = (id, service, uri, user)
        }
    }

    /// A language that someone prefers (section 2.3.4).
    public struct Language: CardEntry {
        /// Its key among the languages.
        public var id: String
        /// The language, as a tag of RFC 5646.
        public var language: String
        /// Where it is spoken.
        public var contexts: Set<Context> = []
        /// Which to prefer: 1 most, 100 least; nil less than any.
        public var pref: Int?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A preferred language.
        public init(id: String, language: String) { (self.id, self.language) = (id, language) }
    }
}
