public import KithCards
public import KithModel

/// An email address of a contact.
public struct ContactEmail: Hashable, Sendable {
    /// The text on the card.
    public let original: String
    /// The canonical form, by which addresses are compared; nil for a text that is not an email address.
    public let address: EmailAddress?
    /// The label to show: `home`, `work`, or the user's own label.
    public let label: String
    /// Whether it is for home or for work.
    public let contexts: Set<Card.Context>
}
