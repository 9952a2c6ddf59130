extension Card {
    /// An account at a messenger, a social network or another service (section 2.3.2).
    public struct OnlineService: CardEntry {
        /// Its id, unique among the services.
        public var id: String
        /// The name of the service: `Mastodon`, `XMPP`.
        public var service: String?
        /// The URI of the account.
        public var uri: String?
        /// The user name of the account.
        public var user: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An account at a service. At least one of `uri` and `user` is required.
        public init(id: String, service: String? = nil, uri: String? = nil, user: String? = nil) {
            (self.id, self.service, self.uri, self.user) = (id, service, uri, user)
        }
    }
}
