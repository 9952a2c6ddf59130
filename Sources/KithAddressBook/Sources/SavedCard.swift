/// The result of saving an edited card.
public struct SavedCard: Hashable, Sendable {
    /// The card's new reference. For a card without a uid it can change when the card is edited.
    public let reference: CardReference
    /// Whether the source has the edit. If not, it is kept on the device and sent when the server can be reached.
    public let isSent: Bool
    /// Why the server did not take the edit now, for people; nil if it could not be reached, or the source has the edit.
    public let reason: String?

    /// A card with this reference, whose edit was sent or waits.
    public init(reference: CardReference, isSent: Bool = true, reason: String? = nil) {
        (self.reference, self.isSent, self.reason) = (reference, isSent, reason)
    }
}
