/// One vCard: its bytes as a program wrote them, and the properties that they hold.
///
/// Versions 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350) are read as programs really write
/// them. An edit changes the lines of the property that it names; every other byte
/// stays as it was.
public struct VCard: Sendable {
    /// A version of the format.
    public enum Version: String, Hashable, Sendable, CaseIterable {
        /// A version that is read and written.
        case v2_1 = "2.1", v3_0 = "3.0", v4_0 = "4.0"
    }

    /// The version that the card names, else the one in whose manner it is written.
    public internal(set) var version: Version
    /// The line of BEGIN in the stream that the card was read from, counted from 1.
    public let line: Int

    /// From BEGIN to END; in UTF-8 where the stream is in UTF-16.
    var text: [UInt8]
    var encoding: StreamEncoding
    /// What the text is in for which the card names no charset.
    package private(set) var charset = CardCharset.utf8
    var places: [PropertyPlace]
    /// Where the line of END begins; the end of the text if there is none.
    let end: Int
    /// How many lines of END are missing at the end of the text; none in a card that was edited.
    let missingEnds: Int

    init(text: [UInt8], encoding: StreamEncoding, line: Int, frame: CardFrame) {
        (self.text, self.encoding, self.line) = (text, encoding, line)
        (end, missingEnds) = (frame.end, frame.missingEnds)
        places = text.withUnsafeBufferPointer { PropertyScan($0, frame).places }
        version = .v3_0
        charset = undeclaredText.charset
        version = namedVersion ?? (places.contains { $0.manner.isIn2_1 } ? .v2_1 : .v3_0)
    }

    /// Reads one card.
    /// - Parameter bytes: The card, alone; blank lines and a byte order mark may surround it.
    /// - Throws: What is wrong, if there is not one card that can be read. ``faults`` tells what of one cannot be.
    public init(_ bytes: some Collection<UInt8>) throws(VCardFault) {
        let (cards, faults) = VCardReader.cards(in: bytes)
        if let fault = faults.first(where: { !$0.bytes.isEmpty }) { throw fault }
        guard let card = cards.first, cards.count == 1 else {
            let sentence =
                cards.isEmpty
                ? "There is no card here: it begins with BEGIN:VCARD." : "There are \(cards.count) cards here, not one."
            throw VCardFault(line: 1, sentence, bytes: Array(bytes))
        }
        self = card
    }

    /// The card as written, from BEGIN to END with its line end. One without END goes up to the next card.
    public var bytes: [UInt8] { encoding.encoded(text) }

    /// Its properties but BEGIN and END, in order. A card within it is the value of one.
    public var properties: Properties { Properties(card: self) }

    private var namedVersion: Version? {
        guard let property = properties.first(where: { $0.knownName == .version }) else { return nil }
        let text = property.text
        return Version(rawValue: text) ?? Version(rawValue: text.filter { !$0.isWhitespace })
    }
}

extension VCard: Hashable {
    /// Whether both are the same bytes, wherever they were read.
    public static func == (left: VCard, right: VCard) -> Bool {
        left.text == right.text && left.encoding == right.encoding
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension VCard: CustomStringConvertible {
    /// The card as it is written.
    public var description: String { Charset.text(text, charset) }
}

extension VCard {
    /// The properties of a card, in order.
    public struct Properties: RandomAccessCollection, Sendable {
        let card: VCard

        /// The place of the first property.
        public var startIndex: Int { 0 }
        /// The place after the last property.
        public var endIndex: Int { card.places.count }
        /// The property at a place.
        public subscript(position: Int) -> Property {
            Property(
                of: card.text, at: card.places[position], encoding: card.encoding, charset: card.charset,
                version: card.version)
        }
    }
}
