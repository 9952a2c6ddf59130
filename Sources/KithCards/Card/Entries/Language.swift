extension Card {
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
