public import KithCards

/// The content of a source.
public struct SourceContents: Hashable, Sendable {
    /// A card with its reference.
    public struct Entry: Hashable, Sendable {
        /// The source's name for the card.
        public let reference: CardReference
        /// The card, without its bytes.
        public let card: Card
        /// What its names, organizations and titles are in other languages and scripts.
        public let alternatives: [Card.Alternative]

        /// Creates an entry of a card and its reference.
        public init(reference: CardReference, card: Card, alternatives: [Card.Alternative] = []) {
            (self.reference, self.card, self.alternatives) = (reference, card, alternatives)
        }

        init(reference: CardReference, _ vCard: VCard) {
            var alternatives: [Card.Alternative] = []
            let card = Card(vCard, alternatives: &alternatives)
            self.init(reference: reference, card: card, alternatives: alternatives)
        }

        init(reference: CardReference, _ parsed: ParsedCard) {
            self.init(reference: reference, card: parsed.card, alternatives: parsed.alternatives)
        }
    }

    /// How many of its contacts the source lets the app see.
    public enum Access: Hashable, Sendable {
        /// All of them.
        case full
        /// Only the contacts that the user has chosen (iOS 18).
        case limited
    }

    /// The cards, in the source's order.
    public var entries: [Entry]
    /// The cards and parts of cards that could not be read.
    public var faults: SourceFaults
    /// The number of the folder's files that could not be read at all, so that their cards are missing. Each is also a fault.
    public var unreadableFiles = 0
    /// Whether these are all contacts of the source.
    public var access: Access
    /// The edits that have not reached the source. Waiting edits are applied to the entries. Refused edits, and those that
    /// failed at the last attempt, are among the faults.
    public var unsent: [UnsentEdit] = []
    /// The number of edits that wait to be sent. Refused ones are not counted.
    public var waiting: Int { unsent.count { !$0.isRefused } }

    /// Creates the content of these cards and faults.
    public init(entries: [Entry], faults: SourceFaults = [], access: Access = .full) {
        (self.entries, self.faults, self.access) = (entries, faults, access)
    }
}
