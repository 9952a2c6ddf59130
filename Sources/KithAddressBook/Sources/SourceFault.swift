/// A card of a source, or a part of one, that cannot be read, or an edit that the source did not take.
public struct SourceFault: Hashable, Sendable {
    /// The readable name of the folder's file, or the path of the account's card or address book on its server; nil if the
    /// source is one file.
    public let name: String?
    /// The line where the fault begins, counted from 1.
    public let line: Int
    /// What is wrong and what to do, for people.
    public let sentence: String
    /// The card whose edit the source did not take; nil for a fault of another kind.
    public let editedCard: CardReference?

    /// Creates a fault on a line of the source, or of its file or card.
    public init(line: Int, _ sentence: String, in name: String? = nil, editOf card: CardReference? = nil) {
        (self.name, self.line, self.sentence, editedCard) = (name, line, sentence, card)
    }
}
