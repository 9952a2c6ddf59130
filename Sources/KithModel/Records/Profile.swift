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

    /// An unproved email that the person has entered, for rewards of the app. Nobody can sign in or be found with it, and no
    /// other person sees it.
    public var claimedEmail: String?

    /// Creates an empty profile.
    public init() {}

    /// The visibility of a part, limited to ``Part/widest``.
    public func visibility(of part: Part) -> Visibility { min(visibility[part] ?? part.standard, part.widest) }

    /// The given and the family name, or the nickname; nil if there is none.
    public var fullName: String? { Self.fullName(given: given, family: family, nick: nick) }

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
        fields: [
            Field("given", .text(0...100), writer: .owner),
            Field("family", .text(0...100), writer: .owner),
            Field("nick", .text(0...100), writer: .owner),
            Field("title", .text(0...60), writer: .owner),
            Field("jobTitle", .text(0...100), writer: .owner),
            Field("company", .text(0...100), writer: .owner),
            Field("status", .text(0...200), writer: .owner),
            Field("phones", .entries(entry(60), upTo: 20), writer: .owner),
            Field("emails", .entries(entry(254), upTo: 20), writer: .owner),
            Field("addresses", .entries([.init("text", 500), .init("label", 60)], upTo: 10), writer: .owner),
            Field("sites", .entries(entry(500), upTo: 20), writer: .owner),
            Field("language", .text(0...35), writer: .owner),
            Field("country", .text(0...2), writer: .owner),
            Field("timeZone", .text(0...60), writer: .owner),
            Field("pictureSmall", .digest, writer: .owner),
            Field("pictureLarge", .digest, writer: .owner),
            Field("isListed", .flag, writer: .owner, standard: false),
            Field("isDiscoverable", .flag, writer: .owner, standard: true),
            Field("claimedEmail", .text(0...254), writer: .owner),
            Field("isNotifiedOfJoins", .flag, writer: .owner, standard: true),
        ]
            + Part.allCases.map { part in
                Field(
                    part.visibilityField,
                    .choice(Visibility.allCases.filter { $0 <= part.widest }.map(\.rawValue)), writer: .owner,
                    standard: .text(part.standard.rawValue))
            })

    private static func entry(_ longest: Int) -> [Field.Text] {
        [.init("value", longest), .init("label", 60), .init("type", 40)]
    }
}

/// The conversion between a profile and its fields.
extension Profile {
    /// Creates a profile from these fields; missing ones are empty.
    package init(_ fields: Fields) {
        self.init()
        given = fields["given"]?.text
        family = fields["family"]?.text
        nick = fields["nick"]?.text
        title = fields["title"]?.text
        jobTitle = fields["jobTitle"]?.text
        company = fields["company"]?.text
        status = fields["status"]?.text
        phones = Self.entries(fields["phones"])
        emails = Self.entries(fields["emails"])
        addresses = fields["addresses"].objects.compactMap { entry in
            entry["text"]?.text.map { Address($0, label: entry["label"]?.text) }
        }
        sites = Self.entries(fields["sites"])
        language = fields["language"]?.text
        country = fields["country"]?.text
        timeZone = fields["timeZone"]?.text
        picture = Picture(fields)
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
            "given": .text(given), "family": .text(family), "nick": .text(nick), "title": .text(title),
            "jobTitle": .text(jobTitle), "company": .text(company), "status": .text(status),
            "phones": Self.value(phones), "emails": Self.value(emails), "sites": Self.value(sites),
            "addresses": addresses.isEmpty
                ? .null : .array(addresses.map { .object(of: ["text": $0.text, "label": $0.label]) }),
            "language": .text(language), "country": .text(country), "timeZone": .text(timeZone),
            "pictureSmall": .text(picture?.small), "pictureLarge": .text(picture?.large),
            "isListed": .flag(isListed), "isDiscoverable": .flag(isDiscoverable),
            "claimedEmail": .text(claimedEmail),
            "isNotifiedOfJoins": .flag(isNotifiedOfJoins),
        ]
        for part in Part.allCases { fields[part.visibilityField] = .text(visibility(of: part).rawValue) }
        return fields
    }

    private static func entries(_ value: FieldValue?) -> [Entry] {
        value.objects.compactMap { entry in
            entry["value"]?.text.map { Entry($0, label: entry["label"]?.text, type: entry["type"]?.text) }
        }
    }

    private static func value(_ entries: [Entry]) -> FieldValue {
        if entries.isEmpty { return .null }
        return .array(entries.map { .object(of: ["value": $0.value, "label": $0.label, "type": $0.type]) })
    }
}

extension Profile.Picture {
    /// Creates a picture from the fields of a profile or contact; nil if there is none or only one size.
    package init?(_ fields: Fields) {
        guard let small = fields["pictureSmall"]?.text, let large = fields["pictureLarge"]?.text else { return nil }
        self.init(small: small, large: large)
    }
}

extension FieldValue {
    /// A text, or null if it is nil.
    package static func text(_ text: String?) -> FieldValue { text.map { .text($0) } ?? .null }

    /// An object with those of the texts that are not nil.
    fileprivate static func object(of texts: [String: String?]) -> FieldValue {
        .object(texts.compactMapValues { $0.map { .text($0) } })
    }
}

extension FieldValue? {
    /// The objects of an array; none for any other value.
    fileprivate var objects: [[String: FieldValue]] {
        guard case .array(let values) = self else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}
