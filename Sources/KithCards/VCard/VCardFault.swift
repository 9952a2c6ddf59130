/// An unreadable part of a stream of cards: a range of the stream, or a part of a card.
public struct VCardFault: Error, Hashable, Sendable {
    /// The line number of its start, counted from 1.
    public let line: Int
    /// The fault and its remedy, for people.
    public let sentence: String
    /// The unreadable bytes; of a too large card, the first ``VCard/Limits/bytes``. Empty if the card was read and
    /// lists the fault in ``VCard/faults``.
    public let bytes: [UInt8]

    package init(line: Int, _ sentence: String, bytes: [UInt8]) {
        (self.line, self.sentence, self.bytes) = (line, sentence, bytes)
    }
}

extension VCardFault: CustomStringConvertible {
    /// The line and the sentence.
    public var description: String { "Line \(line): \(sentence)" }
}
