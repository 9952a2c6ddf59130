extension Card {
    /// A company and the parts of it where someone is (section 2.2.3).
    public struct Organization: CardEntry {
        /// Its id, unique among the organizations; ``Title/organization`` refers to it.
        public var id: String
        /// What the organization is called.
        public var name: String?
        /// Its departments, the larger before the smaller.
        public var units: [String] = []
        /// What to sort by in place of its name.
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
