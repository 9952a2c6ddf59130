public import KithCards

extension AddressBook {
    /// Someone in the address book, or a company or a group: one card, or several that are linked.
    ///
    /// Equal contacts show the same. What is shown is put together from the cards
    /// when it is asked for, so that a hundred thousand contacts are cheap to hold.
    public struct Contact: Hashable, Sendable, Identifiable {
        /// Which contact it is: the name of its oldest card, by source and reference.
        ///
        /// It stays the same from load to load, and ``AddressBook/contact(_:)`` finds a contact by the id of any
        /// of its cards: an id that an app has kept is good as long as that card is there, whatever is linked to it.
        public struct ID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
            /// The id as text.
            public let rawValue: String

            /// The id of this text.
            public init(rawValue: String) { self.rawValue = rawValue }

            init(_ source: SourceID, _ reference: CardReference) {
                rawValue = source.prefixOfIDs + reference.name
            }

            /// The id as text.
            public var description: String { rawValue }

            func isOf(_ source: SourceID) -> Bool { rawValue.hasPrefix(source.prefixOfIDs) }
        }

        /// Which contact it is.
        public let id: ID
        /// Its cards, first the one whose name is shown. Never empty.
        let filed: [FiledCard]
        /// What it is sorted by.
        let order: NameOrder
        /// The title of the section that it stands in: the letter that it is sorted under, or `#`.
        public let sectionTitle: String
        /// Who is on the service.
        var matches = ContactMatches.none

        /// The cards of which it is made: one or more, first the one whose name is shown.
        public var cards: [SourcedCard] { filed.map(SourcedCard.init) }

        /// Whether a card has a photo in it: ``AddressBook/photo(of:)`` reads it.
        public var hasPhoto: Bool { filed.contains { $0.card.media.contains(where: \.isEmbeddedPhoto) } }

        /// Whether both show the same.
        public static func == (left: Self, right: Self) -> Bool {
            left.id == right.id && left.sectionTitle == right.sectionTitle && left.order == right.order
                && left.filed == right.filed
                && (left.matches === right.matches || left.accounts == right.accounts)
        }

        /// Hashes the id.
        public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// A card, and where it is from.
    public struct SourcedCard: Hashable, Sendable, Identifiable {
        /// The source that it is from.
        public let source: SourceID
        /// What the source calls it.
        public let reference: CardReference
        /// The card.
        public let card: Card

        /// The id of a contact that would consist of this card alone.
        public var id: Contact.ID { Contact.ID(source, reference) }

        init(_ filed: FiledCard) { (source, reference, card) = (filed.source, filed.reference, filed.card) }
    }

    /// Which source it is. An app names its own; those that Kith keeps are `source-1`, `source-2` …
    public struct SourceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// The source of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        /// What the ids of all its cards begin with, and no other source's.
        var prefixOfIDs: String {
            guard rawValue.contains(where: { $0 == "/" || $0 == "%" }) else { return rawValue + "/" }
            return rawValue.replacing("%", with: "%25").replacing("/", with: "%2F") + "/"
        }
    }

    /// The contacts that stand under one letter.
    public struct Section: Hashable, Sendable, Identifiable {
        /// The letter, or `#` for those that begin with none.
        public let title: String
        /// The contacts, in the order of the book.
        public let contacts: [Contact]

        /// The title, which no other section has.
        public var id: String { title }
    }
}

extension Card.Resource {
    var isEmbeddedPhoto: Bool {
        guard kind == .photo, case .embedded = content else { return false }
        return true
    }
}
