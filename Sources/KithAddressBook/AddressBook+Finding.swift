public import KithCards
public import KithModel

/// Searches of the shown contacts, which answer at once. Before the first load they find nothing, and start it.
extension AddressBook {
    /// The contact with this id, or with a card that has this id; nil if there is none.
    public func contact(_ id: Contact.ID) -> Contact? { asked()?.contact(id) }

    /// The contact that has a phone number, in any spelling; nil if none has.
    ///
    /// Numbers are compared in E.164 form; numbers without such a form are compared by their digits. If several contacts
    /// have the number, the names decide: a contact with both names, then with the family name, then with the given
    /// name, then the first contact.
    public func contact(withPhone number: String, given: String? = nil, family: String? = nil) -> Contact? {
        asked()?.contact(
            withPhone: PhoneIdentity(number, reader.e164(number)), SoughtNames(given: given, family: family))
    }

    /// The contact that has this number; nil if none has.
    public func contact(withPhone number: E164, given: String? = nil, family: String? = nil) -> Contact? {
        asked()?.contact(withPhone: .e164(number), SoughtNames(given: given, family: family))
    }

    /// The contact that has an email address, in any spelling; nil if none has. If several have it, the names decide, as
    /// for numbers.
    public func contact(withEmail address: String, given: String? = nil, family: String? = nil) -> Contact? {
        asked()?.contact(withEmail: address, SoughtNames(given: given, family: family))
    }

    /// The contacts that contain each word of `text`: in their names, numbers, emails, companies, addresses, notes …,
    /// regardless of accents, or in their names by a similar sound.
    ///
    /// Names in other scripts are also found by their Latin spelling, and Latin names by words in other scripts.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - limit: The maximum number of contacts; nil for all.
    /// - Returns: First the contacts whose names are the words, then those whose names begin with them, then the others;
    ///   each group in order.
    public func search(_ text: String, limit: Int? = nil) -> [Contact] {
        asked()?.search(FindQuery(text, reader), limit: limit ?? .max) ?? []
    }

    /// Suggestions while a user types a number or a name.
    ///
    /// First come contacts with a number that begins with the text, then contacts with a name that does (whole words
    /// before beginnings), then contacts with a number that does after its area code; each group in order.
    ///
    /// A number can be typed in its national or international form, or without its prefix, with or without separators:
    /// `0664 12`, `+4366412`, `664`. Each of several words must begin a word of the name. `mueller` finds Müller;
    /// `o brien` and `brien` find O’Brien.
    public func suggestions(for typed: String, limit: Int = 20) -> [Contact] {
        asked()?.suggestions(for: FindQuery(typed, reader), limit: limit) ?? []
    }
}

extension AddressBook {
    /// A picture of a contact.
    public struct Photo: Hashable, Sendable {
        /// The bytes of the picture, as the card contains them.
        public let bytes: [UInt8]
        /// The media type (RFC 2046), such as `image/jpeg`; nil if the card does not name it.
        public let mediaType: String?
    }

    /// A contact's photo, read from its card now; nil if none of its cards contains one.
    ///
    /// It is the preferred photo of the first card that has any. A linked photo is not fetched, because its server would
    /// learn who looks at it. The link is in the `Card.media` of the card.
    ///
    /// - Throws: `KithError`: `notFound` if the card is gone; any error of the source.
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

    /// The rank of photos without a preference: after 100, the lowest preference (RFC 9553, section 1.5.4).
    private static let noPreference = 101

    /// The bytes of a card, read from its source now.
    ///
    /// - Throws: `KithError`: `notFound` if the card or its source is gone; any error of the source.
    public func vCard(of card: SourcedCard) async throws -> VCard {
        try await source(card.source).vCard(card.reference)
    }
}
