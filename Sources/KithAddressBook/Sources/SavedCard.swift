/// What became of an edited card.
public struct SavedCard: Hashable, Sendable {
    /// The card's reference from now on. That of a card without a uid can change with its name.
    public let reference: CardReference
    /// Whether the source has the edit. If not, it is kept on the device and sent when the server can be reached.
    public let isSent: Bool

    /// A card with this reference, whose edit was sent or waits.
    public init(reference: CardReference, isSent: Bool = true) { (self.reference, self.isSent) = (reference, isSent) }
}
