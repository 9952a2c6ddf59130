extension Card {
    /// A job title or a role (section 2.2.5).
    public struct Title: CardEntry {
        /// Which of the two it is.
        public enum Kind: String, Hashable, Sendable {
            /// A job title: `Head of Research`.
            case title
            /// A role: `Project leader`.
            case role
        }

        /// Its id, unique among the titles.
        public var id: String
        /// A title or a role.
        public var kind: Kind
        /// The text of the title or role.
        public var name: String
        /// The id of the organization to which it belongs; nil if the card does not say.
        public var organization: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A title or a role.
        public init(id: String, kind: Kind, name: String) { (self.id, self.kind, self.name) = (id, kind, name) }
    }
}
