extension Card {
    /// An email address (RFC 9553, section 2.3.1).
    public struct Email: CardEntry {
        public var id: String
        /// As it was written; ``EmailAddress`` has its canonical form.
        public var address: String
        public var contexts: Set<Context> = []
        public var pref: Int?
        public var label: String?

        public init(id: String, address: String) { (self.id, self.address) = (id, address) }
    }

    /// A telephone number (section 2.3.3).
    public struct Phone: CardEntry {
        /// What the number is for.
        public enum Feature: String, Hashable, Sendable, CaseIterable {
            case mobile, voice, text, video, mainNumber = "main-number", textphone, fax, pager
        }

        public var id: String
        /// As it was written, or what a `tel:` URI says, with `;ext=` as in RFC 3966; ``PhoneNumberParser`` reads it.
        public var number: String
        public var features: Set<Feature> = []
        public var contexts: Set<Context> = []
        public var pref: Int?
        public var label: String?

        public init(id: String, number: String) { (self.id, self.number) = (id, number) }
    }

    /// A messenger, a network, a page where someone is (section 2.3.2).
    public struct OnlineService: CardEntry {
        public var id: String
        public var service: String?
        public var uri: String?
        public var user: String?
        public var contexts: Set<Context> = []
        public var pref: Int?
        public var label: String?

        public init(id: String, service: String? = nil, uri: String? = nil, user: String? = nil) {
            (self.id, self.service, self.uri, self.user) = (id, service, uri, user)
        }
    }

    /// A language that someone prefers (section 2.3.4).
    public struct Language: CardEntry {
        public var id: String
        public var language: String
        public var contexts: Set<Context> = []
        public var pref: Int?

        public init(id: String, language: String) { (self.id, self.language) = (id, language) }
    }

    /// A place where mail goes or someone lives (section 2.5.1).
    public struct Address: CardEntry {
        /// What a part of an address is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case room, apartment, floor, building, number, name, block, subdistrict, district, locality, region,
                postcode, country, direction, landmark, postOfficeBox, separator
        }

        /// One part of an address.
        public struct Component: Hashable, Sendable {
            public var kind: Kind
            public var value: String

            public init(_ kind: Kind, _ value: String) { (self.kind, self.value) = (kind, value) }
        }

        public var id: String
        /// The parts, in the order of the card.
        public var components: [Component] = []
        /// The whole address, as the card gives it.
        public var full: String?
        /// Two letters of ISO 3166-1.
        public var countryCode: String?
        /// A `geo:` URI (RFC 5870).
        public var coordinates: String?
        public var timeZone: String?
        public var contexts: Set<Context> = []
        public var pref: Int?
        public var label: String?

        public init(id: String) { self.id = id }

        /// The values of one kind, joined by spaces; nil if there are none.
        public subscript(kind: Kind) -> String? {
            var joined: String?
            for component in components where component.kind == kind && !component.value.isEmpty {
                joined = joined.map { $0 + " " + component.value } ?? component.value
            }
            return joined
        }
    }
}
