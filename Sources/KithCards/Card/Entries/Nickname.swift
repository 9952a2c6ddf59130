extension Card {
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
}
