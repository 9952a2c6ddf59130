extension Card {
    /// A note (section 2.8.3).
    public struct Note: CardEntry {
        /// The author of a note.
        public struct Author: Hashable, Sendable {
            /// The author's name.
            public var name: String?
            /// The author's URI: `mailto:ada@example.com`.
            public var uri: String?

            /// An author.
            public init(name: String? = nil, uri: String? = nil) { (self.name, self.uri) = (name, uri) }
        }

        /// Its id, unique among the notes.
        public var id: String
        /// The text of the note.
        public var note: String
        /// The author; nil if the card does not say.
        public var author: Author?
        /// The time of creation, in UTC and in RFC 3339 form; nil if the card does not say.
        public var created: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A note.
        public init(id: String, note: String) { (self.id, self.note) = (id, note) }
    }
}
