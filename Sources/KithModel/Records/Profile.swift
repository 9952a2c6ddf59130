import Foundation

/// My profile and its visibility. The record is in my own feed.
///
/// Others never read this record. The server copies the parts that a person may see into their ``NetworkContact``, and
/// returns further parts when they request the details.
public struct Profile: Hashable, Sendable {
    /// A telephone number, an email address or a web site, with its purpose.
    public struct Entry: Hashable, Sendable {
        /// The number, address or URL as its owner wrote it.
        public var value: String
        /// The purpose in its owner's words: `home`, `studio` … At most 60 characters.
        public var label: String?
        /// The kind in the app's vocabulary: `mobile`, `fax` … At most 40 characters.
        public var type: String?

        /// Creates an entry with these properties.
        public init(_ value: String, label: String? = nil, type: String? = nil) {
            self.value = value
            self.label = label
            self.type = type
        }
    }

    /// A postal address, as its owner wrote it.
    public struct Address: Hashable, Sendable {
        /// The whole address, in lines. At most 500 characters.
        public var text: String
        /// The purpose. At most 60 characters.
        public var label: String?

        /// Creates an address with these properties.
        public init(_ text: String, label: String? = nil) {
            self.text = text
            self.label = label
        }
    }

    /// A picture in the two sizes that the app creates.
    public struct Picture: Hashable, Sendable {
        /// The SHA-256 hash of the small picture, in hexadecimal digits.
        public var small: String
        /// The SHA-256 hash of the large picture, in hexadecimal digits.
        public var large: String

        /// Creates a picture from its hashes.
        public init(small: String, large: String) {
            self.small = small
            self.large = large
        }
    }

    /// The given name. At most 100 characters.
    public var given: String?
    /// The family name. At most 100 characters.
    public var family: String?
    /// The nickname. At most 100 characters.
    public var nick: String?
    /// The title in front of the name: `Dr.` … At most 60 characters.
    public var title: String?
    /// The job title, at most 100 characters.
    public var jobTitle: String?
    /// The company, at most 100 characters.
    public var company: String?
    /// The status line. At most 200 characters.
    public var status: String?
    /// The telephone numbers, at most 20.
    public var phones: [Entry] = []
    /// The email addresses, at most 20.
    public var emails: [Entry] = []
    /// The postal addresses, at most 10.
    public var addresses: [Address] = []
    /// The web sites, at most 20.
    public var sites: [Entry] = []
    /// A language tag, such as `de-AT` (BCP 47).
    public var language: String?
    /// A country's two letters (ISO 3166-1).
    public var country: String?
    /// A time zone's name, such as `Europe/Vienna` (IANA).
    public var timeZone: String?
    /// The picture; nil for none.
    public internal(set) var picture: Picture?
    /// The visibility of the parts that differ from ``Part/standard``.
    public var visibility: [Part: Visibility] = [:]
    /// Whether a search of the directory by name finds me. It is off unless the person turns it on.
    public var isListed = false
    /// Whether people with one of my numbers or emails in their address book find me.
    public var isDiscoverable = true
    /// Whether a message and the app notify me when an invited person joins.
    public var isNotifiedOfJoins = true

    /// An unproved email that the person has entered, as a note for the app. The server makes no use of it, and no other
    /// person sees it.
    public var claimedEmail: String?

    /// Creates an empty profile.
    public init() {}

    /// The visibility of a part, limited to ``Part/widest``.
    public func visibility(of part: Part) -> Visibility { min(visibility[part] ?? part.standard, part.widest) }

    /// The given and the family name, or the nickname; nil if there is none.
    public var fullName: String? { Self.fullName(given: given, family: family, nick: nick) }

    /// The job title and the company in one line; empty if there is neither.
    package var work: String { [jobTitle, company].compactMap(\.self).joined(separator: ", ") }

    static func fullName(given: String?, family: String?, nick: String?) -> String? {
        switch (given ?? "", family ?? "") {
        case ("", ""): nick.flatMap { $0.isEmpty ? nil : $0 }
        case (let given, ""): given
        case ("", let family): family
        case (let given, let family): "\(given) \(family)"
        }
    }
}

extension RecordCollection {
    /// The profiles of accounts.
    public static let profiles = RecordCollection(rawValue: "profile")
}

extension Profile {
    /// The profile's id in its account's feed. It is the same in every feed, because a profile can exist before the
    /// account has an identity.
    package static let id = RecordID<Never>(UUID(high: 0, low: 1))

    /// The fields of a profile, and who may write them.
    package static let schema = Schema(
        .profiles, in: .account, creator: .owner, remover: .server,
        fields: allFields.flatMap(\.schema) + settings + visibilities)

    private static let settings = [
        Field("isListed", .flag, writer: .owner, standard: false),
        Field("isDiscoverable", .flag, writer: .owner, standard: true),
        Field("claimedEmail", .text(0...254), writer: .owner),
        Field("isNotifiedOfJoins", .flag, writer: .owner, standard: true),
    ]

    private static let visibilities = Part.allCases.map { part in
        Field(
            part.visibilityField, .choice(Visibility.allCases.filter { $0 <= part.widest }.map(\.rawValue)),
            writer: .owner, standard: .text(part.standard.rawValue))
    }
}

// MARK: - The fields

extension Profile {
    /// A part of a profile with its own visibility. Its raw value is the field's name.
    ///
    /// Each part that has fields has a row in `Profile.allFields`.
    public enum Part: String, CaseIterable, Hashable, Sendable, Codable {
        /// A part of the name, the work, the status or the picture.
        case given, family, nick, title, jobTitle, company, status, picture
        /// A way to reach the person, or information about where they live.
        case phones, emails, addresses, sites, language, country, timeZone
        /// Whether the person is online. Visible to the network at most.
        case presence
        /// The time when the person was last seen. Visible to the network at most.
        case lastSeen

        /// The visibility until the profile's owner chooses one.
        public var standard: Visibility {
            switch self {
            case .given, .family, .nick, .picture: .everyone
            default: .network
            }
        }

        /// The widest visibility that can be chosen.
        public var widest: Visibility {
            switch self {
            case .presence, .lastSeen: .network
            default: .everyone
            }
        }

        /// The field that contains the part's visibility.
        package var visibilityField: String { rawValue + "Visibility" }

        /// The fields of the part. Presence and last seen have none.
        package var fields: [String] {
            switch self {
            case .picture: PictureSize.allCases.map(\.field)
            case .presence, .lastSeen: []
            default: [rawValue]
            }
        }

        /// The visibility of the part in a profile with these fields.
        package func visibility(in fields: Fields) -> Visibility {
            let chosen = fields[visibilityField]?.text.flatMap(Visibility.init) ?? standard
            return min(chosen, widest)
        }
    }
    /// The fields that a profile shows to others, in the order in which programs show them.
    ///
    /// A new field needs a property, a ``Part`` and a row here. The conversion to and from ``Fields``, the schema, the
    /// vCard, the JSON of the command line and its texts follow from the row. An option of the command line is declared
    /// in `ProfileEditing.swift`. A field of the summary also needs a property in ``NetworkContact``.
    package static let allFields: [ProfileField] = [
        ProfileField(.given, .text(\.given, longest: 100), isInSummary: true, label: "Given name"),
        ProfileField(.family, .text(\.family, longest: 100), isInSummary: true, label: "Family name"),
        ProfileField(.nick, .text(\.nick, longest: 100), isInSummary: true, label: "Nickname", vCard: "NICKNAME"),
        ProfileField(.title, .text(\.title, longest: 60), isInSummary: true, label: "Title"),
        ProfileField(
            .jobTitle, .text(\.jobTitle, longest: 100), isInSummary: true, label: "Job", word: "job", vCard: "TITLE"),
        ProfileField(.company, .text(\.company, longest: 100), isInSummary: true, label: "Company", vCard: "ORG"),
        ProfileField(.status, .text(\.status, longest: 200), isInSummary: true, label: "Status", vCard: "NOTE"),
        ProfileField(
            .phones, .entries(\.phones, longest: 60), label: "Phone", word: "phone", vCard: "TEL", form: .phoneNumber),
        ProfileField(
            .emails, .entries(\.emails, longest: 254), label: "Email", word: "email", vCard: "EMAIL",
            form: .emailAddress),
        ProfileField(
            .sites, .entries(\.sites, longest: 500), label: "Site", word: "site", vCard: "URL", form: .webSite),
        ProfileField(.addresses, .addresses, label: "Address", word: "address", vCard: "ADR"),
        ProfileField(.language, .text(\.language, longest: 35), label: "Language", vCard: "LANG", form: .languageTag),
        ProfileField(.country, .text(\.country, longest: 2), label: "Country", form: .countryCode),
        ProfileField(
            .timeZone, .text(\.timeZone, longest: 60), label: "Time zone", word: "time-zone", vCard: "TZ",
            form: .zoneName),
        ProfileField(.picture, .picture, isInSummary: true, label: "Picture"),
    ]
}

// MARK: - Conversion

/// The conversion between a profile and its fields.
extension Profile {
    /// Creates a profile from these fields; missing ones are empty.
    package init(_ fields: Fields) {
        self.init()
        for field in Self.allFields { field.read(fields, into: &self) }
        for part in Part.allCases {
            if let chosen = fields[part.visibilityField]?.text.flatMap(Visibility.init), chosen != part.standard {
                visibility[part] = chosen
            }
        }
        isListed = fields["isListed"]?.flag ?? false
        isDiscoverable = fields["isDiscoverable"]?.flag ?? true
        claimedEmail = fields["claimedEmail"]?.text
        isNotifiedOfJoins = fields["isNotifiedOfJoins"]?.flag ?? true
    }

    /// The fields of the profile; empty ones are null.
    package var fields: Fields {
        var fields: Fields = [
            "isListed": .flag(isListed), "isDiscoverable": .flag(isDiscoverable),
            "claimedEmail": .text(claimedEmail),
            "isNotifiedOfJoins": .flag(isNotifiedOfJoins),
        ]
        for field in Self.allFields { field.write(self, to: &fields) }
        for part in Part.allCases { fields[part.visibilityField] = .text(visibility(of: part).rawValue) }
        return fields
    }
}

extension Profile.Picture {
    /// Creates a picture from the fields of a profile or contact; nil if there is none or only one size.
    package init?(_ fields: Fields) {
        guard let small = fields["pictureSmall"]?.text, let large = fields["pictureLarge"]?.text else { return nil }
        self.init(small: small, large: large)
    }
}
