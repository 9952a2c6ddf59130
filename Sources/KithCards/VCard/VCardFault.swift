/// What could not be read in a stream of cards, and where it is: a stretch of the stream, or something of a card.
public struct VCardFault: Error, Hashable, Sendable {
    /// The line on which it begins, counted from 1.
    public let line: Int
    /// What is wrong and what to do, for people.
    public let sentence: String
    /// The stretch as it was written; of a card that is too large, as much as ``VCard/Limits/bytes``. Empty if a card was
    /// read, and has the fault among its ``VCard/faults``.
    public let bytes: [UInt8]

    package init(line: Int, _ sentence: String, bytes: [UInt8]) {
        (self.line, self.sentence, self.bytes) = (line, sentence, bytes)
    }
}

extension VCardFault: CustomStringConvertible {
    /// The line and the sentence.
    public var description: String { "Line \(line): \(sentence)" }
}
