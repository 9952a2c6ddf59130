extension Card {
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
}
