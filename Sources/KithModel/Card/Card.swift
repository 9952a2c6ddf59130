/// A contact card: one person, company or group, as one program knows it.
///
/// The model is JSContact's `Card` (RFC 9553). What it keeps in maps by id is
/// kept in arrays here, in the order of the card, each entry with its ``CardEntry/id``.
public struct Card: Hashable, Sendable {
    /// What a card describes (RFC 9553, section 2.1.4).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case individual, group, org, location, device, application
    }

    /// Identifies the card in every copy of it (section 2.1.9); nil if its program gave it none.
    public var uid: String?
    /// What the card describes.
    public var kind = Kind.individual
    /// The language of its free text, as a tag of RFC 5646 (section 2.1.5).
    public var language: String?
    /// The program that wrote it (section 2.1.7).
    public var productID: String?
    /// When it was made, and when it was last changed, as RFC 3339 writes it (sections 2.1.3 and 2.1.10).
    public var created: String?
    public var updated: String?
    /// Its categories (section 2.8.2).
    public var keywords: [String] = []
    /// The uids of the cards in it, if it is a group (section 2.1.6).
    public var members: [String] = []

    /// What it is called (section 2.2.1).
    public var name = Name()
    public var nicknames: [Nickname] = []
    public var organizations: [Organization] = []
    public var titles: [Title] = []
    /// How to speak to and of the person (section 2.2.4).
    public var speakToAs = SpeakToAs()

    /// How to reach it (section 2.3).
    public var emails: [Email] = []
    public var phones: [Phone] = []
    public var onlineServices: [OnlineService] = []
    public var preferredLanguages: [Language] = []
    public var addresses: [Address] = []

    /// What it points to, and what is in it (section 2.6).
    public var media: [Resource] = []
    public var links: [Resource] = []
    public var calendars: [Resource] = []
    public var cryptoKeys: [Resource] = []
    public var directories: [Resource] = []
    public var schedulingAddresses: [Resource] = []

    public var anniversaries: [Anniversary] = []
    public var notes: [Note] = []
    public var relatedTo: [Relation] = []
    public var personalInfo: [PersonalInfo] = []

    /// An empty card.
    public init() {}
}

/// One of several in a card: an email among its emails.
public protocol CardEntry: Hashable, Sendable {
    /// Its key in JSContact's map: the property's `PROP-ID`, else one made from its place.
    var id: String { get set }
}

extension Card {
    /// Where an entry belongs (RFC 9553, section 1.5.1); `billing` and `delivery` are for addresses only.
    public enum Context: String, Hashable, Sendable, CaseIterable {
        case `private`, work, billing, delivery
    }
}
