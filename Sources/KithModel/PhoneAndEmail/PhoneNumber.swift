/// A telephone number as someone has written it, with its analysis.
public struct PhoneNumber: Hashable, Sendable {
    /// The kind of line that a number reaches, according to the numbering plan.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Kinds that numbering plans distinguish.
        case mobile, fixedLine, fixedLineOrMobile, tollFree, premiumRate, sharedCost, voip, personal, pager, company,
            voicemail
        /// A number that can only be dialled within one country, such as an emergency number or a service.
        case short
        /// The numbering plan does not contain the number. The number is new or wrong.
        case unknown
    }

    /// The number as it was written.
    public let original: String
    /// The canonical form; nil if the text is not a number, or the number cannot be dialled from everywhere.
    ///
    /// Short codes and numbers without their area code cannot be dialled from everywhere. A number that looks invalid
    /// still has a canonical form, because the known numbering plan may be out of date.
    public let e164: E164?
    /// The digits to dial after the call is answered.
    public let `extension`: String?
    /// The usual notation within the country, with the extension; the original if there is no canonical form.
    public let national: String
    /// The usual notation abroad, with the extension; the original if there is no canonical form.
    public let international: String
    /// The kind of line that the number reaches.
    public let kind: Kind
    /// Whether the numbering plan contains the number.
    public let isValid: Bool

    /// Creates a number with these properties.
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
