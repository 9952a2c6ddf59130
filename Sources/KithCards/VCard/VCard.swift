import TextEncodings

/// A vCard: the bytes as a program wrote them, and the properties that they contain.
///
/// It reads versions 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350) as real programs write them. An edit changes only the lines
/// of the edited property; every other byte stays unchanged.
public struct VCard: Sendable {
    /// A version of the format.
    public enum Version: String, Hashable, Sendable, CaseIterable {
        /// A version that is read and written.
        case v2_1 = "2.1", v3_0 = "3.0", v4_0 = "4.0"
    }

    /// The version that the card declares; without one, the version that its form implies.
    public internal(set) var version: Version
    /// The line number of BEGIN in the stream from which the card was read, counted from 1.
    public let line: Int

    /// The text from BEGIN to END; in UTF-8 if the stream is in UTF-16.
    var text: [UInt8]
    var encoding: StreamEncoding
    /// The charset of the text for which the card declares none.
    package private(set) var charset = CardCharset.utf8
    var places: [PropertyPlace]
    let strays: StrayLines
    /// The number of its lines that are no properties. A card that is written in another version lacks them.
    package var strayLines: Int { strays.count }
    /// The start of the line of END; the end of the text if there is none.
    let end: Int
    /// The number of missing END lines at the end of the text; 0 after any edit.
    let missingEnds: Int

    init(text: [UInt8], encoding: StreamEncoding, line: Int, frame: CardFrame) {
        (self.text, self.encoding, self.line) = (text, encoding, line)
        (end, missingEnds) = (frame.end, frame.missingEnds)
        (places, strays) = text.withUnsafeBufferPointer { bytes in
            let scan = PropertyScan(bytes, frame)
            return (scan.places, scan.strays)
        }
        version = .v3_0
        charset = undeclaredText.charset
        version = namedVersion ?? (places.contains { $0.manner.isIn2_1 } ? .v2_1 : .v3_0)
    }

    /// Parses one card.
    /// - Parameter bytes: The card. Blank lines and a byte order mark may surround it.
    /// - Throws: ``VCardFault`` if the bytes are not exactly one readable card. ``faults`` lists the parts of a card
    /// that cannot be read.
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

    /// The card as written, from BEGIN to END with its line end. A card without END extends to the next card.
    public var bytes: [UInt8] { encoding.encoded(text) }

    /// The properties except BEGIN and END, in order. A nested card is the value of a property.
    public var properties: Properties { Properties(card: self) }

    private var namedVersion: Version? {
        guard let property = properties.first(where: { $0.knownName == .version }) else { return nil }
        let text = property.text
        return Version(rawValue: text) ?? Version(rawValue: text.filter { !$0.isWhitespace })
    }
}

// MARK: - Editing

extension VCard {
    /// A card that contains only its version.
    public init(version: Version) {
        let end = "BEGIN:VCARD\r\nVERSION:\(version.rawValue)\r\n"
        self.init(
            text: Array("\(end)END:VCARD\r\n".utf8), encoding: .asIs, line: 1,
            frame: CardFrame(end: end.utf8.count, nested: [], missingEnds: 0))
    }

    /// Adds a property at the end.
    ///
    /// Characters not allowed in a name are removed from `name` and `group`.
    public mutating func append(
        _ name: String, _ value: Value, parameters: Parameters = Parameters(), group: String? = nil
    ) {
        insert(name, value, parameters: parameters, group: group, at: places.count)
    }

    /// Inserts a property before the one at `index`.
    public mutating func insert(
        _ name: String, _ value: Value, parameters: Parameters = Parameters(), group: String? = nil, at index: Int
    ) {
        edit { [$0.patch(adding: NewProperty(name, value, parameters, group: group), before: index)] }
    }

    /// Changes the value of the property at `index`, and its parameters if they are given.
    ///
    /// ENCODING and CHARSET are set automatically.
    public mutating func setValue(_ value: Value, parameters: Parameters? = nil, at index: Int) {
        edit { [$0.patch(changing: index, Change(value: value, parameters: parameters))] }
    }

    /// Changes the parameters of the property at `index`, except ENCODING and CHARSET. The value stays as written.
    public mutating func setParameters(_ parameters: Parameters, at index: Int) {
        edit { [$0.patch(changing: index, Change(parameters: parameters))] }
    }

    /// Sets the group of the property at `index`; nil removes it. Everything else stays as written.
    ///
    /// Characters not allowed in a name are removed from `group`.
    public mutating func setGroup(_ group: String?, at index: Int) {
        edit { [$0.patch(changing: index, Change(group: group ?? ""))] }
    }

    /// Sets the uid, which is written as it is given.
    package mutating func setUID(_ uid: String) {
        if let index = properties.firstIndex(where: { $0.knownName == .uid }) {
            setValue(.plain(uid), at: index)
        } else {
            append("UID", .plain(uid))
        }
    }

    /// Removes the property at `index`.
    public mutating func remove(at index: Int) { edit { [$0.patch(removing: index)] } }
}

extension VCard: Hashable {
    /// Whether both have the same bytes. Their lines in a stream do not count.
    public static func == (left: VCard, right: VCard) -> Bool {
        left.text == right.text && left.encoding == right.encoding
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension VCard: CustomStringConvertible {
    /// The card as written.
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

// MARK: - Limits

extension VCard {
    /// The limits of cards.
    public enum Limits {
        /// The maximum size of a card in bytes, with its nested cards. A larger card is a fault; reading continues
        /// after it.
        public static let bytes = 32 * 1024 * 1024
        /// The maximum number of properties of a card. More are a fault.
        public static let properties = 65_536
        /// The maximum number of parsed parameters of a property, and of values of a parameter. Others stay as written.
        public static let parameters = 256
        /// The maximum number of parts of a value. The last part contains the rest.
        public static let parts = 65_536
        /// The maximum depth of nested cards. Deeper ones are a fault.
        public static let nesting = 8
    }
}

// MARK: - As lines within another card

extension VCard {
    /// The lines of the card in UTF-8, with END and without line ends, for use inside another card.
    var plainLines: [[UInt8]] {
        let card = inUTF8 ?? inBytes
        return card.text.withUnsafeBufferPointer { bytes in
            let lines = ContentLines(bytes: bytes, areEndedByCR: PropertyScan.endsLinesWithCR(bytes))
            var plain: [[UInt8]] = []
            var place = 0
            while place < bytes.count {
                let line = lines.line(at: place)
                // A CR inside a line would end it in a card with other line ends.
                let text = bytes[line.start..<line.end].filter { $0 != .carriageReturn }
                plain.append(Array(String(decoding: text, as: UTF8.self).utf8))
                place = line.next
            }
            return plain
        }
    }

    /// The lines of the card for nesting in an AGENT; nil if it would be parsed differently, because it already
    /// contains too many cards.
    func nestedLines(endedBy lineEnd: [UInt8]) -> [UInt8]? {
        let lines = plainLines.flatMap { $0 + lineEnd }
        let begin = "BEGIN:VCARD".utf8 + lineEnd + "AGENT:".utf8 + lineEnd
        var cutter = CardCutter(limit: .max)
        let around = begin + lines + "END:VCARD".utf8 + lineEnd
        guard
            case .card(let range, _, let frame) = around.withUnsafeBufferPointer({ cutter.next(in: $0, isWhole: true) }),
            range == around.indices, frame.missingEnds == 0, frame.nested.map(\.range) == [begin.count..<frame.end]
        else { return nil }
        return lines
    }
}

// MARK: - In UTF-8

extension VCard {
    /// The card in UTF-8. Properties that already are in UTF-8 stay byte for byte; others are rewritten.
    ///
    /// Nil if this is impossible: because of an unpaired UTF-16 surrogate, a nested card in another charset, or bytes
    /// that are invalid in a UTF-8 card.
    package var inUTF8: VCard? {
        guard encoding == .asIs || isUTF8(text.indices) else { return nil }
        var card = inBytes
        if !card.isUTF8(card.text.indices) { card.recode() }
        return card.isUTF8(card.text.indices) ? card : nil
    }

    /// The card in a form that can follow others in one file: with END, and in UTF-8 if it is in UTF-16, with U+FFFD
    /// for an unpaired surrogate. Any other card stays unchanged.
    package var inBytes: VCard {
        guard encoding != .asIs else { return closed }
        var card = closed
        // In a UTF-16 stream, a declared charset applies only to values with an encoding of their own.
        let foreign = card.places.indices.filter { card.places[$0].manner.contains(.charset) || card.isAmbiguous($0) }
        card.perform(foreign.map(card.patch(recoding:))[...])
        card.encoding = .asIs
        if card.isUTF8(card.text.indices) { return card }
        return (try? VCard(Array(String(decoding: card.text, as: UTF8.self).utf8))) ?? card
    }

    /// Converts properties in other charsets to UTF-8, and declares the charset if bytes are not UTF-8, so that no
    /// property depends on the rest of the card. The card has END.
    mutating func recode() {
        let foreign = places.indices.filter { !isUTF8(places[$0].range) || isAmbiguous($0) }
        perform(foreign.map(patch(recoding:))[...])
    }

    /// Whether these bytes of the text are valid UTF-8.
    func isUTF8(_ range: Range<Int>) -> Bool { String(validating: text[range], as: UTF8.self) != nil }

    /// Whether the property at `index` would change its meaning, or count as evidence against UTF-8, if the card were
    /// decoded as UTF-8.
    private func isAmbiguous(_ index: Int) -> Bool {
        let property = properties[index]
        guard charset != .utf8 else {
            return property.isQuotedPrintable && UTF8Evidence(property.undeclaredValue).flaws > 0
        }
        let isHighQuotedPrintable = property.isQuotedPrintable && property.undeclaredValue.isBeyondASCII
        guard encoding == .asIs else { return isHighQuotedPrintable }
        return property.undeclaredValue.isBeyondASCII || property.headerBytes.isBeyondASCII
    }

    /// The conversion of the property at `index` to UTF-8. An encoded value stays unchanged and declares its charset. A
    /// nested card, which can have several charsets, stays unchanged.
    private func patch(recoding index: Int) -> Patch {
        let (property, place) = (properties[index], places[index])
        let isEncoded = !place.manner.isDisjoint(with: [.quotedPrintable, .base64, .nested])
        var parameters = property.parameters
        let value = Charset.utf8(property.rawValue, named: property.charset, else: property.headerCharset)
        if !isEncoded {
            // Version 2.1 uses UTF-8 only where it is declared. Bytes that are not UTF-8 although declared so stay
            // unchanged.
            let isNamed = version == .v2_1 || String(validating: value, as: UTF8.self) == nil
            parameters["CHARSET"] = isNamed ? ["UTF-8"] : []
        } else if isAmbiguous(index), property.undeclaredValue.isBeyondASCII {
            parameters["CHARSET"] = [charset == .utf8 ? "UTF-8" : "WINDOWS-1252"]
        }
        let written = property.header(with: parameters, group: nil).bytes
        var header = Charset.utf8(written[...], named: nil, else: property.headerCharset)
        // No parameter can declare the charset of a header, so its invalid bytes become U+FFFD.
        if encoding == .asIs { header = ArraySlice(String(decoding: header, as: UTF8.self).utf8) }
        if isEncoded {
            return Patch(index: index, range: place.range, lines: Array(header + text[place.colon..<place.end]))
        }
        return Patch(
            index: index, range: place.range, lines: style.folded(header + [.colon] + value) + style.lineEnd)
    }
}

extension Collection<UInt8> {
    fileprivate var isBeyondASCII: Bool { contains { $0 >= 0x80 } }
}

// MARK: - Text of an unknown charset

extension VCard {
    /// The evidence for UTF-8 in the text without a known declared charset.
    ///
    /// Base64 is evaluated separately, and so are nested cards.
    package var undeclaredText: UTF8Evidence {
        // In UTF-16, only quoted-printable has bytes in an unknown charset.
        let isKnown = encoding != .asIs || text.withUnsafeBufferPointer(\.isASCII)
        let unusual: PropertyPlace.Manner = [
            .foldedHeader, .foldedValue, .quotedPrintable, .base64, .charset, .nested,
        ]
        var evidence = UTF8Evidence()
        for (index, place) in places.enumerated() where !isKnown || place.manner.contains(.quotedPrintable) {
            if place.manner.isDisjoint(with: unusual) {
                evidence.take(text[place.start..<place.valueEnd])
            } else {
                let property = properties[index]
                if !isKnown { evidence.take(property.headerBytes) }
                evidence.take(property.undeclaredValue)
            }
        }
        return evidence
    }
}

extension VCard.Property {
    /// The bytes of the value that are in no known declared charset.
    var undeclaredValue: ArraySlice<UInt8> {
        guard !isBase64, !isNested, !namesKnownCharset else { return [] }
        return isQuotedPrintable ? HexCodes.quotedPrintable.decoded(rawValue)[...] : rawValue
    }

    private var namesKnownCharset: Bool {
        guard let charset else { return false }
        return !isInForeignCharset || Charset.isKnown(charset)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all are ASCII.
    var isASCII: Bool {
        var bits: UInt8 = 0
        // Without branches, so that the compiler can vectorize the loop.
        for byte in self { bits |= byte }
        return bits < 0x80
    }
}

// MARK: - Faults

extension VCard {
    /// The parts of the card that could not be read, or not as intended, in the order of the card. Everything else was
    /// read.
    ///
    /// Examples are a missing END, an unknown charset, bytes that are no characters of the charset, a date that does not
    /// exist, a photo that is cut off, a long run of combining marks, and a line that is no property.
    public var faults: [VCardFault] { FaultFinder(card: self).faults }

    /// Whether it has an END.
    var isClosed: Bool { missingEnds == 0 }
}
