/// A card of a source, or a part of one, that cannot be read, with its place.
public struct SourceFault: Hashable, Sendable {
    /// The file of a folder, or the card of an account, as people call it; nil where the source is one file.
    public let name: String?
    /// The line on which it begins, counted from 1.
    public let line: Int
    /// What is wrong and what to do, for people.
    public let sentence: String

    /// Creates a fault on a line of the source, or of its file or card.
    public init(line: Int, _ sentence: String, in name: String? = nil) {
        (self.name, self.line, self.sentence) = (name, line, sentence)
    }
}
