extension Card {
    /// A remark (section 2.8.3).
    public struct Note: CardEntry {
        /// Who has made a remark.
        public struct Author: Hashable, Sendable {
            /// The author's name.
            public var name: String?
            /// A URI of the author's: `mailto:ada@example.com`.
            public var uri: String?

            /// An author.
            public init(name: String? = nil, uri: String? = nil) { (self.name, self.uri) = (name, uri) }
        }

        /// Its id, unique among the notes.
        public var id: String
        /// The remark itself.
        public var note: String
        /// Who has made it; nil if the card does not say.
        public var author: Author?
        /// When it was made: a moment in UTC as RFC 3339 writes it; nil if the card does not say.
        public var created: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A remark.
        public init(id: String, note: String) { (self.id, self.note) = (id, note) }
    }
}
