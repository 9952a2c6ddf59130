/// A telephone number as someone wrote it, and what is known of it.
public struct PhoneNumber: Hashable, Sendable {
    /// What a number reaches, as far as the numbering plan tells.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case mobile, fixedLine, fixedLineOrMobile, tollFree, premiumRate, sharedCost, voip, personal, pager, company,
            voicemail
        /// Dialled within one country only: an emergency call, a service.
        case short
        /// The plan does not know it: it is new, or wrong.
        case unknown
    }

    /// As it was written.
    public let original: String
    /// Its one true form; nil for what is no number, and for what cannot be dialled from everywhere.
    ///
    /// That is a short code, and a number without its area code. A number that
    /// looks invalid has a true form all the same: what is known of a country's
    /// plan ages.
    public let e164: E164?
    /// What is dialled after the call is answered, digits only.
    public let `extension`: String?
    /// As people write it at home, the extension included; as it was written if it has no true form.
    public let national: String
    /// As people write it abroad, the extension included; as it was written if it has no true form.
    public let international: String
    /// What it reaches.
    public let kind: Kind
    /// Whether the numbering plan knows it.
    public let isValid: Bool

    /// A number with these properties.
    public init(
        original: String, e164: E164?, extension: String? = nil, national: String, international: String, kind: Kind,
        isValid: Bool
    ) {
        self.original = original
        self.e164 = e164
        self.extension = `extension`
        self.national = national
        self.international = international
        self.kind = kind
        self.isValid = isValid
    }
}

/// What reads telephone numbers as people write them.
///
/// On Linux that is libphonenumber (the module `PhoneNumbers`). Where it is no
/// system package, as on iOS, an app hands in one of its own.
public protocol PhoneNumberParser: Sendable {
    /// The true form of a number, read as dialled in `region`; nil for what has none (see ``PhoneNumber/e164``).
    ///
    /// What matching needs, and nothing else: it is called for every number of an
    /// address book, and again for all of them when the region changes. Without a
    /// region only a number that names its country has one. `text` is as it was
    /// written, a `tel:` URI included.
    func e164(_ text: String, in region: Region?) -> E164?

    /// All that is known of a number, read as dialled in `region`.
    func parse(_ text: String, in region: Region?) -> PhoneNumber

    /// What has been typed so far, as `region` groups it: `0664 123`.
    func formatted(asTyped text: String, in region: Region?) -> String
}
