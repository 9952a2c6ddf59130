public import KithCards
public import KithModel

/// A phone number of a contact.
public struct ContactPhone: Hashable, Sendable {
    /// The text on the card.
    public let original: String
    /// The E.164 form, by which numbers are compared; nil for a short code or a text that is not a number.
    public let number: E164?
    /// The label to show: `mobile`, `work fax`, or the user's own label.
    public let label: String
    /// The kind of number, for programs.
    public let features: Set<Card.Phone.Feature>
    /// Whether it is for home or for work.
    public let contexts: Set<Card.Context>
}
