/// A stretch of a stream that could not be read as a card, and where it is.
public struct VCardFault: Error, Hashable, Sendable {
    /// The line on which the stretch begins, counted from 1.
    public let line: Int
    /// What is wrong and what to do, for people.
    public let sentence: String
    /// The stretch as it was written; of a card that is too large, as much as ``VCard/Limits/bytes``.
    public let bytes: [UInt8]

    package init(line: Int, _ sentence: String, bytes: [UInt8]) {
        (self.line, self.sentence, self.bytes) = (line, sentence, bytes)
    }
}

extension VCardFault: CustomStringConvertible {
    /// The line and the sentence.
    public var description: String { "Line \(line): \(sentence)" }
}
