extension Card {
    /// Someone else, and what they are to the one on the card (section 2.1.8).
    public struct Relation: CardEntry {
        /// Its key among the relations. In JSContact ``other`` is the key.
        public var id: String
        /// The other's uid or URI, or a name where the card gives only that.
        public var other: String
        /// `spouse`, `child`, `friend` …; empty if the card does not say.
        public var relations: Set<String>
        /// What its owner calls it, in words for people. JSContact has none for relations, vCards do.
        public var label: String?
        /// What its vCard says besides: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// Someone, and what they are to the one on the card.
        public init(id: String, other: String, relations: Set<String>) {
            (self.id, self.other, self.relations) = (id, other, relations)
        }
    }
}
