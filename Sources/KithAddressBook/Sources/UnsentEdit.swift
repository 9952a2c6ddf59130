/// An edit of a card that the card's source does not have yet.
public struct UnsentEdit: Hashable, Sendable {
    /// The edited card.
    public let reference: CardReference
    /// The name on the card, or its company; nil if it has neither.
    public let name: String?
    /// Whether the source has refused the edit. If not, it is sent again when the source can be reached.
    public let isRefused: Bool
    /// Why the source has refused the edit, or did not take it at the last attempt, for people; nil if it waits for its first
    /// attempt, or for the network.
    public let reason: String?

    /// An edit of the card with this reference and name.
    public init(reference: CardReference, name: String?, isRefused: Bool = false, reason: String? = nil) {
        (self.reference, self.name, self.isRefused, self.reason) = (reference, name, isRefused, reason)
    }
}
