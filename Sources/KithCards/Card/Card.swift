/// A contact card: one person, company or group, as one program knows it.
///
/// The model is JSContact's `Card` (RFC 9553). What it keeps in maps by id is
/// kept in arrays here, in the order of the card, each entry with its
/// ``CardEntry/id``. What a property says besides, each entry carries in its
/// ``CardEntry/vCardParameters``. Properties that the model has no words for stay
/// in the bytes of the ``VCard`` that the card was read from.
public struct Card: Hashable, Sendable {
    /// What a card describes (RFC 9553, section 2.1.4).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One person.
        case individual
        /// Several cards together: a mailing list, a family.
        case group
        /// A company or another organization.
        case org
        /// A place.
        case location
        /// A thing that can be reached: a printer, a door.
        case device
        /// A program.
        case application
    }

    /// Identifies the card in every copy of it (section 2.1.9); nil if its program gave it none (RFC 9982).
    public var uid: String?
    /// What the card describes.
    public var kind = Kind.individual
    /// The language of its free text, as a tag of RFC 5646 (section 2.1.5).
    public var language: String?
    /// The program that wrote it (section 2.1.7).
    public var productID: String?
    /// When it was made: a moment in UTC as RFC 3339 writes it (section 2.1.3).
    public var created: String?
    /// When it was last changed: a moment in UTC as RFC 3339 writes it (section 2.1.10).
    public var updated: String?
    /// Its categories, each once (section 2.8.2).
    public var keywords: [String] = []
    /// The uids of the cards in it, each once, if it is a group (section 2.1.6).
    public var members: [String] = []

    /// What it is called (section 2.2.1).
    public var name = Name()
    /// By which names people call someone (section 2.2.2).
    public var nicknames: [Nickname] = []
    /// The companies and the parts of them where someone is (section 2.2.3).
    public var organizations: [Organization] = []
    /// Job titles and roles (section 2.2.5).
    public var titles: [Title] = []
    /// How to speak to and of someone (section 2.2.4).
    public var speakToAs = SpeakToAs()

    /// Email addresses (section 2.3.1).
    public var emails: [Email] = []
    /// Telephone numbers (section 2.3.3).
    public var phones: [Phone] = []
    /// Messengers, networks, pages where someone is (section 2.3.2).
    public var onlineServices: [OnlineService] = []
    /// The languages that someone prefers (section 2.3.4).
    public var preferredLanguages: [Language] = []
    /// Where mail goes or someone lives (section 2.5.1).
    public var addresses: [Address] = []

    /// Photos, logos and sounds (section 2.6.4).
    public var media: [Resource] = []
    /// Pages and other links (section 2.6.3).
    public var links: [Resource] = []
    /// Calendars, and when someone is free or busy (section 2.4.1).
    public var calendars: [Resource] = []
    /// Public keys and certificates (section 2.6.1).
    public var cryptoKeys: [Resource] = []
    /// Directories in which someone is listed (section 2.6.2).
    public var directories: [Resource] = []
    /// Where invitations to events go (section 2.4.2).
    public var schedulingAddresses: [Resource] = []

    /// Days that come back each year (section 2.8.1).
    public var anniversaries: [Anniversary] = []
    /// Remarks (section 2.8.3).
    public var notes: [Note] = []
    /// Other people, and what they are to the one on the card (section 2.1.8).
    public var relatedTo: [Relation] = []
    /// Expertise, hobbies and interests (section 2.8.4).
    public var personalInfo: [PersonalInfo] = []

    /// An empty card.
    public init() {}
}

extension Card {
    /// Where an entry belongs (RFC 9553, section 1.5.1).
    public enum Context: String, Hashable, Sendable, CaseIterable {
        /// At home.
        case `private`
        /// At work.
        case work
        /// Where bills go; for addresses only.
        case billing
        /// Where parcels go; for addresses only.
        case delivery
    }
}

extension Card {
    /// The card that a vCard is (RFC 9555, section 2).
    ///
    /// What the model has no words for, and what says nothing, stays in the vCard.
    public init(_ vCard: VCard) { self = CardBuilder(of: vCard).card }

    /// What to call a card that has no name, for readers that need one.
    var anyName: String? {
        organizations.first?.name ?? organizations.first?.units.first ?? nicknames.first?.name
            ?? emails.first?.address ?? phones.first?.number ?? onlineServices.first?.user
    }
}
