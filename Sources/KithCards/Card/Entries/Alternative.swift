extension Card {
    /// A name, an organization or a title of a vCard that the card does not hold, because it holds another form of it: in
    /// most cases the same in another language or script (RFC 6350, section 5.4).
    public struct Alternative: Hashable, Sendable {
        /// What it is another form of.
        public enum Kind: String, Hashable, Sendable {
            /// The whole name.
            case fullName
            /// The parts of the name, separated by blanks.
            case nameParts
            /// An organization with its units, separated by commas.
            case organization
            /// A job title or a role.
            case title
        }

        /// What it is another form of.
        public let kind: Kind
        /// The text.
        public let text: String

        /// Another form of a name, an organization or a title.
        public init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }
    }
}

extension Card.Alternative {
    /// What a property says that is not the main one of its kind; nil if that is nothing that people look for.
    init?(_ property: CardProperty) {
        switch property.name {
        case .fn where property["DERIVED"]?.lowercased() != "true": self.init(.fullName, property.text)
        case .n:
            let parts = NameLayout(NameLayout.components(of: property.written)).components.map(\.value)
            self.init(.nameParts, parts.joined(separator: " "))
        case .org:
            let names = property.written.components.map { $0.joined(separator: ",").trimmedASCII }
            self.init(.organization, names.filter { !$0.isEmpty }.joined(separator: ", "))
        case .title, .role: self.init(.title, property.text)
        default: return nil
        }
        if text.isEmpty { return nil }
    }
}
