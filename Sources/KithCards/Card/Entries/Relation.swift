extension Card {
    /// A related person, and how they are related (section 2.1.8).
    public struct Relation: CardEntry {
        /// Its id, unique among the relations. JSContact uses ``other`` as the key.
        public var id: String
        /// The other person's uid or URI, or a name if the card gives only that.
        public var other: String
        /// `spouse`, `child`, `friend` …; empty if the card does not say.
        public var relations: Set<String>
        /// The owner’s label. JSContact has none for relations; vCard has.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A related person, and how they are related.
        public init(id: String, other: String, relations: Set<String>) {
            (self.id, self.other, self.relations) = (id, other, relations)
        }
    }
}
