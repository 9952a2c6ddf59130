extension Card {
    /// A nickname (section 2.2.2).
    public struct Nickname: CardEntry {
        /// Its id, unique among the nicknames.
        public var id: String
        /// The text of the nickname.
        public var name: String
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A nickname.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }
}
