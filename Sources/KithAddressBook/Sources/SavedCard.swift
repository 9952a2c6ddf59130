/// The result of saving an edited card.
public struct SavedCard: Hashable, Sendable {
    /// The card's new reference. For a card without a uid it can change when the card is edited.
    public let reference: CardReference
    /// Whether the source has the edit. If not, it is kept on the device and sent when the server can be reached.
    public let isSent: Bool

    /// A card with this reference, whose edit was sent or waits.
    public init(reference: CardReference, isSent: Bool = true) { (self.reference, self.isSent) = (reference, isSent) }
}
