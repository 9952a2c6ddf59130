/// Some cards could not be added to a source.
///
/// It is the cause of the `KithError` that ``AddressBook/add(_:to:)`` throws then. Its message says how many cards were
/// added, and what happened to the first of the others.
public struct UnaddedCards: Error, Hashable, Sendable {
    /// A card that the source does not take.
    public struct Refused: Hashable, Sendable {
        /// The name of the card, for people.
        public let name: String
        /// Why the source does not take it: a sentence for people.
        public let reason: String
    }

    /// The cards that were added, and those that were left out although they differ from an existing one.
    public let added: AddedCards
    /// The cards that the source does not take, in their order. They did not stop the others.
    public let refused: [Refused]
    /// Whether something has stopped before all cards were tried, such as a full disk or a server that went away.
    public let isStopped: Bool
}
