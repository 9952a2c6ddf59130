extension Card {
    /// A language that someone prefers (section 2.3.4).
    public struct Language: CardEntry {
        /// Its id, unique among the languages.
        public var id: String
        /// The language, as a tag of RFC 5646.
        public var language: String
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A preferred language.
        public init(id: String, language: String) { (self.id, self.language) = (id, language) }
    }
}
