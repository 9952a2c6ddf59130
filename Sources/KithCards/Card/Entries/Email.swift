extension Card {
    /// An email address (RFC 9553, section 2.3.1).
    public struct Email: CardEntry {
        /// Its id, unique among the emails.
        public var id: String
        /// The address as written; `EmailAddress` has its canonical form.
        public var address: String
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An email address.
        public init(id: String, address: String) { (self.id, self.address) = (id, address) }
    }
}
