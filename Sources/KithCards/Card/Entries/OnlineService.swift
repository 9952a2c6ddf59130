extension Card {
    /// A messenger, a network, a page where someone is (section 2.3.2).
    public struct OnlineService: CardEntry {
        /// Its id, unique among the services.
        public var id: String
        /// What the service is called: `Mastodon`, `XMPP`.
        public var service: String?
        /// Where someone is found there.
        public var uri: String?
        /// What someone is called there.
        public var user: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A service at which someone is. One of `uri` and `user` is there.
        public init(id: String, service: String? = nil, uri: String? = nil, user: String? = nil) {
            (self.id, self.service, self.uri, self.user) = (id, service, uri, user)
        }
    }
}
