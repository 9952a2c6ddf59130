/// A contact card: one person, company or group, as one program knows it.
///
/// The model is JSContact's `Card` (RFC 9553). Where JSContact has maps, this model has arrays in the order of the
/// card, and ``CardEntry/id`` is the key. ``CardEntry/vCardParameters`` carries the parameters of an entry's property
/// that have no field here. Properties that the model cannot express stay in the bytes of the ``VCard`` that the card
/// was read from.
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
        /// A device: a printer, a door.
        case device
        /// A program.
        case application
    }

    /// The identifier of the card, the same in every copy of it (section 2.1.9); nil if its program gave it none (RFC
    /// 9982).
    public var uid: String?
    /// What the card describes.
    public var kind = Kind.individual
    /// The language of its free text, as a tag of RFC 5646 (section 2.1.5).
    public var language: String?
    /// The program that wrote it (section 2.1.7).
    public var productID: String?
    /// The time of creation, in UTC and in RFC 3339 form (section 2.1.3).
    public var created: String?
    /// The time of the last change, in UTC and in RFC 3339 form (section 2.1.10).
    public var updated: String?
    /// Its categories, each once (section 2.8.2).
    public var keywords: [String] = []
    /// The uids of a group's members, each once (section 2.1.6).
    public var members: [String] = []

    /// The name (section 2.2.1).
    public var name = Name()
    /// Nicknames (section 2.2.2).
    public var nicknames: [Nickname] = []
    /// Companies and departments (section 2.2.3).
    public var organizations: [Organization] = []
    /// Job titles and roles (section 2.2.5).
    public var titles: [Title] = []
    /// Grammatical gender and pronouns (section 2.2.4).
    public var speakToAs = SpeakToAs()

    /// Email addresses (section 2.3.1).
    public var emails: [Email] = []
    /// Telephone numbers (section 2.3.3).
    public var phones: [Phone] = []
    /// Accounts at messengers, social networks and other services (section 2.3.2).
    public var onlineServices: [OnlineService] = []
    /// The languages that someone prefers (section 2.3.4).
    public var preferredLanguages: [Language] = []
    /// Postal addresses and other places (section 2.5.1).
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

    /// Anniversaries, such as birthdays (section 2.8.1).
    public var anniversaries: [Anniversary] = []
    /// Notes (section 2.8.3).
    public var notes: [Note] = []
    /// Related people, and how they are related (section 2.1.8).
    public var relatedTo: [Relation] = []
    /// Expertise, hobbies and interests (section 2.8.4).
    public var personalInfo: [PersonalInfo] = []

    /// An empty card.
    public init() {}
}

extension Card {
    /// The context in which an entry is used (RFC 9553, section 1.5.1).
    public enum Context: String, Hashable, Sendable, CaseIterable {
        /// At home.
        case `private`
        /// At work.
        case work
        /// For bills; only in addresses.
        case billing
        /// For deliveries; only in addresses.
        case delivery
    }
}

extension Card {
    /// A substitute for the name of a card that has none, for readers that require a name.
    var anyName: String? {
        organizations.first?.name ?? organizations.first?.units.first ?? nicknames.first?.name
            ?? emails.first?.address ?? phones.first?.number ?? onlineServices.first?.user
    }
}
