public import KithCards
public import KithModel

/// All of these answer at once from what is shown. While nothing is loaded they find nothing; asking loads it.
extension AddressBook {
    /// The contact with this id, or with a card of which it is the id; nil if there is none.
    public func contact(_ id: Contact.ID) -> Contact? { asked()?.contact(id) }

    /// The contact that has a number, however it is written here and on its card; nil if none has.
    ///
    /// Numbers are compared in E.164 form, what has none digit by digit. If several contacts have it, the names say
    /// which it is: one with both names, else one with the family's, else one with the given one, else the first.
    public func contact(withPhone number: String, given: String? = nil, family: String? = nil) -> Contact? {
        asked()?.contact(
            withPhone: PhoneIdentity(number, reader.e164(number)), SoughtNames(given: given, family: family))
    }

    /// The contact that has this number; nil if none has.
    public func contact(withPhone number: E164, given: String? = nil, family: String? = nil) -> Contact? {
        asked()?.contact(withPhone: .e164(number), SoughtNames(given: given, family: family))
    }

    /// The contact that has an email address, in whatever spelling; nil if none has. Names say which, as with numbers.
    public func contact(withEmail address: String, given: String? = nil, family: String? = nil) -> Contact? {
        asked()?.contact(withEmail: address, SoughtNames(given: given, family: family))
    }

    /// The contacts in which each word of `text` is found: anywhere in their names, numbers, emails,
    /// companies, addresses, notes …, whatever the accents; or in their names by what it sounds like.
    ///
    /// Names in other scripts are found by their Latin spelling too, and names in Latin letters by words in other scripts.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - limit: At most so many contacts; nil for all.
    /// - Returns: First those whose names are the words, then those whose names begin with them, then the others; each in
    ///   order.
    public func search(_ text: String, limit: Int? = nil) -> [Contact] {
        asked()?.search(FindQuery(text, reader), limit: limit ?? .max) ?? []
    }

    /// The contacts that begin with what has been typed so far: first those with a number that does, then those with a
    /// word of the name that does, exact names before partial ones; then those with a number that does behind its area
    /// code; each in order.
    ///
    /// Numbers begin with what is typed of them at home, abroad, or without what is dialled first, with separators or
    /// not: `0664 12`, `+4366412`, `664`. Of several words each must begin one of the name; `mueller` begins Müller, and
    /// `o brien` and `brien` begin O’Brien.
    public func suggestions(for typed: String, limit: Int = 20) -> [Contact] {
        asked()?.suggestions(for: FindQuery(typed, reader), limit: limit) ?? []
    }
}

extension AddressBook {
    /// A picture of a contact.
    public struct Photo: Hashable, Sendable {
        /// The picture, as it is on the card.
        public let bytes: [UInt8]
        /// As in RFC 2046, where the card says it: `image/jpeg`.
        public let mediaType: String?
    }

    /// A contact's photo, read from its card in this moment; nil if none of its cards has one in it.
    ///
    /// The preferred one of the first card that has any. A photo that is only a link is not fetched, as that would tell its
    /// server who looks: it is among the ``Card/media`` of the card.
    ///
    /// - Throws: ``KithError``: `notFound` if the card is gone; whatever the source says.
    public func photo(of contact: Contact) async throws -> Photo? {
        for card in contact.cards where card.card.media.contains(where: \.isEmbeddedPhoto) {
            let vCard = try await vCard(of: card)
            let photos = Card(vCard).media.filter(\.isEmbeddedPhoto)
            for photo in photos.sorted(by: { ($0.pref ?? Self.noPreference) < ($1.pref ?? Self.noPreference) }) {
                if let bytes = vCard.data(of: photo) { return Photo(bytes: bytes, mediaType: photo.mediaType) }
            }
        }
        return nil
    }

    /// Behind all that are preferred, of which 1 comes first and 100 last (RFC 9553, section 1.5.4).
    private static let noPreference = 101

    /// A card as its program wrote it, read in this moment.
    ///
    /// - Throws: ``KithError``: `notFound` if the card or its source is gone; whatever the source says.
    public func vCard(of card: SourcedCard) async throws -> VCard {
        try await source(card.source).vCard(card.reference)
    }
}
