extension Card {
    /// A linked or embedded resource: a photo, a link, a calendar, a key (RFC 9553, section 1.4.4).
    public struct Resource: CardEntry {
        /// The kind of a resource, if its list in the card can hold several kinds.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A picture of the person.
            case photo
            /// A sound, such as the spoken name.
            case sound
            /// The logo of a company.
            case logo
            /// A calendar.
            case calendar
            /// The times when someone is free or busy.
            case freeBusy
            /// A directory in which someone is listed.
            case directory
            /// Someone's entry in a directory.
            case entry
            /// A link for contacting someone.
            case contact
        }

        /// The content of a resource, or its address.
        public enum Content: Hashable, Sendable {
            /// The URI of the resource. A `data:` URI contains the resource; in a vCard it becomes `embedded`.
            case uri(String)
            /// Data in the vCard that the card was read from. The model does not hold its bytes.
            ///
            /// ``VCard/data(of:)`` decodes it on demand: a photo is most of a card, and an address book has thousands
            /// of cards.
            /// - Parameters:
            ///   - size: The number of bytes in the value as written, mostly base64, without folds.
            ///   - digest: 64 bits computed from these bytes, so that cards with different photos differ.
            case embedded(size: Int, digest: UInt64)
        }

        /// Its id, unique within its family.
        public var id: String
        /// The kind; nil for an ordinary link, or if the card gives none.
        public var kind: Kind?
        /// The content of a resource, or its address.
        public var content: Content
        /// The media type (RFC 2046): `image/jpeg`.
        public var mediaType: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// A linked or embedded resource.
        public init(id: String, kind: Kind? = nil, content: Content, mediaType: String? = nil) {
            (self.id, self.kind, self.content, self.mediaType) = (id, kind, content, mediaType)
        }
    }
}
