/// Reads a stream of vCards card by card. It holds at most one card in memory.
///
/// An unreadable card becomes a fault, and reading continues. Unreadable parts of a card become faults without bytes.
/// The bytes of all elements together are the stream, and the elements do not depend on the chunks in which it arrives.
public struct VCardReader: Sendable {
    /// A part of the stream.
    public enum Element: Hashable, Sendable {
        /// A card, with its bytes.
        case card(VCard)
        /// An unreadable part; without bytes if it is a part of the card before it.
        case fault(VCardFault)
        /// Text between cards: empty lines, a byte order mark, other text.
        case between([UInt8])

        /// The bytes as written.
        public var bytes: [UInt8] {
            switch self {
            case .card(let card): card.bytes
            case .fault(let fault): fault.bytes
            case .between(let bytes): bytes
            }
        }
    }

    /// The number of bytes that are processed at once.
    private static let piece = 256 * 1024

    private let limit: Int
    private var cutter: CardCutter
    /// The text that has arrived and is not yet cut; in UTF-8 if the stream is in UTF-16.
    private var text: [UInt8] = []
    /// The first bytes, until the encoding is known.
    private var head: [UInt8]? = []
    private var encoding = StreamEncoding.asIs
    private var decoder = UTF16Decoder(.asIs)
    /// The faults of the last card, which are the next elements.
    private var faults: ArraySlice<VCardFault> = []

    /// A reader at the start of a stream.
    /// - Parameter limit: The maximum size of a card in bytes. A larger one is a fault.
    public init(limit: Int = VCard.Limits.bytes) {
        self.limit = min(max(limit, 0), VCard.Limits.bytes)
        cutter = CardCutter(limit: self.limit)
    }

    /// Reads a chunk; calls `body` with each complete element.
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

    /// Ends the stream; calls `body` with the remaining elements. The reader is then ready for another stream.
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

    /// Reads all cards of a stream, and returns them with the faults of the stream and of the cards.
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
            // Most chunks of a large card end no card: then nothing moves.
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
                let sentence =
                    "The card has more than \(VCard.Limits.properties) properties. Split it into several cards."
                return .fault(VCardFault(line: line, sentence, bytes: card.bytes))
            }
            return .card(card)
        }
    }
}

extension VCardReader.Element: CustomStringConvertible {
    /// The kind and the size of the element, because the bytes can be many.
    public var description: String {
        switch self {
        case .card(let card): "a card of \(card.bytes.count) bytes on line \(card.line)"
        case .fault(let fault): "a fault of \(fault.bytes.count) bytes (\(fault))"
        case .between(let bytes): "\(bytes.count) bytes between"
        }
    }
}
