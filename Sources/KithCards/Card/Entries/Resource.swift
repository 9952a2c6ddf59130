extension Card {
    /// Something that a card points to or carries: a photo, a link, a calendar, a key (RFC 9553, section 1.4.4).
    public struct Resource: CardEntry {
        /// What it is, where the card's property that holds it leaves a choice.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A picture of the person.
            case photo
            /// A sound, as of the name being said.
            case sound
            /// The sign of a company.
            case logo
            /// A calendar.
            case calendar
            /// When someone is free or busy.
            case freeBusy
            /// A directory in which someone is listed.
            case directory
            /// Someone's entry in a directory.
            case entry
            /// A link by which to reach someone.
            case contact
        }

        /// Where it is.
        public enum Content: Hashable, Sendable {
            /// At this address. A `data:` URI is the resource itself; written into a vCard it becomes `embedded`.
            case uri(String)
            /// In the vCard that the card was read from, and out of the model.
            ///
            /// ``VCard/data(of:)`` decodes it when it is wanted: a photo is most
            /// of a card, and an address book has thousands.
            /// - Parameters:
            ///   - size: Bytes of the value as it was written, in base64 mostly, without folds.
            ///   - digest: 64 bits that stand for these, so that another photo is another card.
            case embedded(size: Int, digest: UInt64)
        }

        /// Its id, unique within its family.
        public var id: String
        /// What it is.
        public var kind: Kind?
        /// Where it is.
        public var content: Content
        /// As in RFC 2046: `image/jpeg`.
        public var mediaType: String?
        /// The contexts of use; empty if the card gives none.
        public var contexts: Set<Context> = []
        /// The preference: 1 is the highest, 100 the lowest; nil ranks below 100.
        public var pref: Int?
        /// The owner’s label.
        public var label: String?
        /// Further parameters of its vCard property: ``CardEntry/vCardParameters``.
        public var vCardParameters = VCard.Parameters()

        /// Something that a card points to or carries.
        public init(id: String, kind: Kind? = nil, content: Content, mediaType: String? = nil) {
            (self.id, self.kind, self.content, self.mediaType) = (id, kind, content, mediaType)
        }
    }
}
