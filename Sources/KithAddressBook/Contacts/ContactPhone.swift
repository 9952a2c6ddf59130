public import KithCards
public import KithModel

/// A phone number of a contact.
public struct ContactPhone: Hashable, Sendable {
    /// The text on the card.
    public let original: String
    /// The E.164 form, by which numbers are compared; nil for a short code or a text that is not a number.
    public let number: E164?
    /// The digits to dial after the call is answered; nil without an extension.
    public let `extension`: String?
    /// The label to show: `mobile`, `work fax`, or the user's own label.
    public let label: String
    /// The kind of number, for programs.
    public let features: Set<Card.Phone.Feature>
    /// Whether it is for home or for work.
    public let contexts: Set<Card.Context>

    /// What two entries of a contact have in common if they are the same number. Extensions of a switchboard are not.
    struct Identity: Hashable {
        let number: PhoneIdentity
        let `extension`: String?
    }
}
