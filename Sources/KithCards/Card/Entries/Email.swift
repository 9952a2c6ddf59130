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
}
