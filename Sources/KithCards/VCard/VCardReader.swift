/// Reads a stream of vCards, card by card, and holds no more of it than the largest card.
///
/// A card that cannot be read becomes a fault and stops no other. What of a card
/// cannot be read becomes faults without bytes behind it. The bytes of all
/// elements put together are the stream, and which elements there are does not
/// depend on the pieces in which it comes.
public struct VCardReader: Sendable {
    /// A stretch of the stream.
    public enum Element: Hashable, Sendable {
        /// A card, with its bytes.
        case card(VCard)
        /// What could not be read; without bytes, something of the card before it.
        case fault(VCardFault)
        /// What belongs to no card: empty lines, a byte order mark, other text.
        case between([UInt8])

        /// The stretch as it was written.
        public var bytes: [UInt8] {
            switch self {
            case .card(let card): card.bytes
            case .fault(let fault): fault.bytes
            case .between(let bytes): bytes
            }
        }
    }

    /// How many bytes are looked at at once.
    private static let piece = 256 * 1024

    private let limit: Int
    private var cutter: CardCutter
    /// The text that has come and is not yet cut, in UTF-8 where the stream is in UTF-16.
    private var text: [UInt8] = []
    /// The first bytes, until the encoding can be told of them.
    private var head: [UInt8]? = []
    private var encoding = StreamEncoding.asIs
    private var decoder = UTF16Decoder(.asIs)
    /// Those of the card that came last, which come next.
    private var faults: ArraySlice<VCardFault> = []

    /// A reader at the start of a stream.
    /// - Parameter limit: Bytes of the largest card; a larger one is a fault.
    public init(limit: Int = VCard.Limits.bytes) {
        self.limit = min(max(limit, 0), VCard.Limits.bytes)
        cutter = CardCutter(limit: self.limit)
    }

    /// Reads on; calls `body` with each element that is whole.
    public mutating func feed(
        _ bytes: some Collection<UInt8>, _ body: (Element) throws -> Void
    ) rethrows {
        var rest = bytes[...]
        while !rest.isEmpty {
            take(rest.prefix(Self.piece), isLast: false)
            rest = rest.dropFirst(Self.piece)
            try deliver(isWhole: false, body)
        }
    }

    /// Ends the stream; calls `body` with the elements that are left. The reader is then at the start of another.
    public mutating func finish(_ body: (Element) throws -> Void) rethrows {
        take([], isLast: true)
        let rest = encoding == .asIs ? nil : decoder.finish(into: &text)
        defer { self = VCardReader(limit: limit) }
        try deliver(isWhole: true, body)
        if let rest { try body(.between([rest])) }
    }

    /// Reads a whole stream at once.
    public static func elements(in bytes: some Collection<UInt8>) -> [Element] {
        var elements: [Element] = []
        var reader = VCardReader()
        reader.feed(bytes) { elements.append($0) }
        reader.finish { elements.append($0) }
        return elements
    }

    /// Reads the cards of a whole stream, and tells which could not be read, and what of others.
    public static func cards(in bytes: some Collection<UInt8>) -> (cards: [VCard], faults: [VCardFault]) {
        var result: (cards: [VCard], faults: [VCardFault]) = ([], [])
        for element in elements(in: bytes) {
            switch element {
            case .card(let card): result.cards.append(card)
            case .fault(let fault): result.faults.append(fault)
            case .between: break
            }
        }
        return result
    }

    private mutating func take(_ bytes: some Collection<UInt8>, isLast: Bool) {
        guard let head else { return append(bytes) }
        self.head = head + bytes
        guard isLast || head.count + bytes.count >= 4 else { return }
        let start = head + bytes
        self.head = nil
        encoding = StreamEncoding(of: start[...])
        decoder = UTF16Decoder(encoding)
        append(start)
    }

    private mutating func append(_ bytes: some Collection<UInt8>) {
        if encoding == .asIs { text.append(contentsOf: bytes) } else { decoder.decode(bytes, into: &text) }
    }

    private mutating func deliver(isWhole: Bool, _ body: (Element) throws -> Void) rethrows {
        defer {
            // Most pieces of a large card end none: then nothing moves.
            if cutter.start > 0 { text.removeSubrange(..<cutter.start) }
            cutter.dropCut()
        }
        while let element = next(isWhole: isWhole) { try body(element) }
    }

    private mutating func next(isWhole: Bool) -> Element? {
        if let fault = faults.popFirst() { return .fault(fault) }
        guard let piece = text.withUnsafeBufferPointer({ cutter.next(in: $0, isWhole: isWhole) }) else { return nil }
        let element = element(piece)
        if case .card(let card) = element { faults = card.faults[...] }
        return element
    }

    private func element(_ piece: CardCutter.Piece) -> Element {
        switch piece {
        case .between(let range): return .between(encoding.encoded(text[range]))
        case .fault(let range, let line, let sentence):
            return .fault(VCardFault(line: line, sentence, bytes: encoding.encoded(text[range])))
        case .card(let range, let line, let frame):
            let card = VCard(text: Array(text[range]), encoding: encoding, line: line, frame: frame)
            guard card.properties.count <= VCard.Limits.properties else {
                let sentence = "The card has more than \(VCard.Limits.properties) properties. Part it into several."
                return .fault(VCardFault(line: line, sentence, bytes: card.bytes))
            }
            return .card(card)
        }
    }
}

extension VCardReader.Element: CustomStringConvertible {
    /// Its kind and size: there are many bytes in some.
    public var description: String {
        switch self {
        case .card(let card): "a card of \(card.bytes.count) bytes on line \(card.line)"
        case .fault(let fault): "a fault of \(fault.bytes.count) bytes (\(fault))"
        case .between(let bytes): "\(bytes.count) bytes between"
        }
    }
}
