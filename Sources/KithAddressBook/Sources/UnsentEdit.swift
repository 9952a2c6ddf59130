/// An edit of an account's card that the account does not have yet.
public struct UnsentEdit: Hashable, Sendable {
    /// The edited card.
    public let reference: CardReference
    /// The name on the card, or its company; nil if it has neither.
    public let name: String?
    /// Whether the server has refused the edit. If not, it is sent when the server can be reached.
    public let isRefused: Bool
}
