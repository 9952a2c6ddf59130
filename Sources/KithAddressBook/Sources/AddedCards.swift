public import KithCards

/// The result of adding cards to a source.
public struct AddedCards: Hashable, Sendable {
    /// The references of the new cards, in their order.
    public var references: [CardReference]
    /// The cards that were left out although they differ from the cards of the same uid and name that are there.
    public var differing: [VCard]

    /// New cards with these references, and cards that were left out.
    public init(references: [CardReference] = [], differing: [VCard] = []) {
        (self.references, self.differing) = (references, differing)
    }
}
