extension Card {
    /// A company or another organization, and the departments in it (section 2.2.3).
    public struct Organization: CardEntry {
        /// Its id, unique among the organizations; ``Title/organization`` refers to it.
        public var id: String
        /// The name of the organization.
        public var name: String?
        /// The departments, from the largest to the smallest.
        public var units: [String] = []
        /// The sort key that replaces the name.
        public var sortAs: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// An organization, or a part of one.
        public init(id: String, name: String?, units: [String] = []) {
            (self.id, self.name, self.units) = (id, name, units)
        }
    }
}
