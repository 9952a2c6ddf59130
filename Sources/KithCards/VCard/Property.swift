import Foundation

extension VCard {
    /// One property of a card, read when it is asked for.
    public struct Property: Sendable {
        private let source: [UInt8]
        private let place: PropertyPlace
        private let encoding: StreamEncoding
        /// What its text is in where it names no charset.
        private let cardCharset: CardCharset
        /// The version of its card.
        public let version: Version

        init(
            of source: [UInt8], at place: PropertyPlace, encoding: StreamEncoding, charset: CardCharset,
            version: Version
        ) {
            (self.source, self.place, self.encoding, self.version) = (source, place, encoding, version)
            cardCharset = charset
        }

        /// What holds it together with others: `item1` in `item1.TEL`; nil if nothing does.
        public var group: String? {
            withHeader { bytes, name, header in
                let group = bytes[header.lowerBound..<max(header.lowerBound, name.lowerBound - 1)]
                return group.isEmpty ? nil : Charset.text(group, headerCharset)
            }
        }

        /// In capitals: `TEL`.
        public var name: String {
            knownName?.rawValue
                ?? withHeader { bytes, name, _ in
                    String(capitals: UnsafeBufferPointer(rebasing: bytes[name]), headerCharset)
                }
        }

        /// In the case in which it was written: `X-ABLabel`.
        var writtenName: String {
            withHeader { bytes, name, _ in String(decoding: bytes[name], as: UTF8.self) }
        }

        /// Its name, if this program knows it.
        public var knownName: PropertyName? {
            withHeader { bytes, name, _ in PropertyName(UnsafeBufferPointer(rebasing: bytes[name])) }
        }

        /// What it says besides its value.
        public var parameters: Parameters {
            guard place.manner.contains(.parameters) else { return Parameters() }
            return withHeader { bytes, name, header in
                Parameters(in: bytes, name.upperBound..<header.upperBound, version: version, charset: headerCharset)
            }
        }

        /// The bytes of the value, without folds and soft breaks, and otherwise as written.
        public var rawValue: ArraySlice<UInt8> {
            if place.manner.isDisjoint(with: [.foldedValue, .quotedPrintable]) || place.manner.contains(.nested) {
                return source[place.value]
            }
            return source.withUnsafeBufferPointer { bytes in
                let lines = ContentLines(bytes: bytes, areEndedByCR: place.manner.contains(.linesEndInCR))
                return ArraySlice(
                    place.manner.contains(.quotedPrintable)
                        ? lines.unfoldedSoftBreaks(place.value) : lines.unfolded(place.value))
            }
        }

        /// The value as one text.
        ///
        /// Encoding, charset, folds and escapes are undone, base64 too where the
        /// property has a text. Line breaks are `\n`; other control characters but
        /// the tab are left out.
        public var text: String { valueText.whole }

        /// The parts of a structured value, and the values in each: a name's or an address's.
        ///
        /// In version 2.1 commas part nothing.
        public var components: [[String]] { valueText.components(partedByCommas: version != .v2_1) }

        /// The texts that commas part.
        public var list: [String] { valueText.list }

        private var valueText: ValueText {
            var bytes = rawValue
            var undeclared = headerCharset
            var isEncoded = false
            if isQuotedPrintable {
                bytes = ArraySlice(HexCodes.decoded(bytes, sign: .equals))
                (undeclared, isEncoded) = (cardCharset, true)
            } else if isBase64 {
                if isTextInBase64, let text = Base64.decoded(bytes) { (bytes, isEncoded) = (text[...], true) }
                // Base64 is judged by itself, also where it is none: whatever the card is in, it stays as it is.
                undeclared = UTF8Evidence(bytes).charset
            }
            return ValueText(
                bytes, charset: charset, undeclared: undeclared, hasLineBreaks: version != .v2_1 || !isEncoded)
        }

        /// What the text of the header is in; in a stream of UTF-16 it is known.
        var headerCharset: CardCharset { encoding == .asIs ? cardCharset : .utf8 }

        /// The charset that the property names for its bytes. No other parameter is read for it.
        ///
        /// In a stream of UTF-16 only the bytes of quoted-printable and base64 have one.
        var charset: String? {
            guard place.manner.contains(.charset),
                encoding == .asIs || !place.manner.isDisjoint(with: [.quotedPrintable, .base64])
            else { return nil }
            return withHeader { bytes, name, header in
                var charset: String?
                Parameters.forEach(in: bytes, name.upperBound..<header.upperBound) { name, value in
                    guard charset == nil, let name, UnsafeBufferPointer(rebasing: bytes[name]).spells("CHARSET") else {
                        return
                    }
                    let value = UnsafeBufferPointer(rebasing: bytes[value])
                    charset = Parameters.values(of: value, partedInQuotes: false, version, headerCharset).first
                }
                return charset
            }
        }

        /// The property as written, with its folds and its line end.
        public var bytes: ArraySlice<UInt8> {
            encoding == .asIs ? source[place.range] : ArraySlice(encoding.encoded(source[place.range]))
        }

        var isBase64: Bool { place.manner.contains(.base64) }
        /// Whether it has a text in base64: it is none of the properties that embed what is no text.
        var isTextInBase64: Bool {
            guard isBase64, let name = knownName else { return false }
            return ![.photo, .logo, .sound, .key].contains(name)
        }
        var isNested: Bool { place.manner.contains(.nested) }
        var isQuotedPrintable: Bool { place.manner.contains(.quotedPrintable) }
        var isInForeignCharset: Bool { place.manner.contains(.foreignCharset) }
        /// Whether its name is one of those that have a day.
        var isOfDay: Bool { place.manner.contains(.day) }
        /// The header without folds.
        var headerBytes: [UInt8] { withHeader { bytes, _, header in Array(bytes[header]) } }
        /// The bytes of the value as they stand in the card, with folds.
        var writtenValue: ArraySlice<UInt8> { source[place.value] }
        /// The first bytes of the value, without folds.
        var rawStart: [UInt8] {
            source.withUnsafeBufferPointer { bytes in
                let lines = ContentLines(bytes: bytes, areEndedByCR: place.manner.contains(.linesEndInCR))
                return lines.unfolded(place.value.prefix(32))
            }
        }

        /// Calls `body` with unfolded bytes, the name's place and the header's place in them.
        func withHeader<Result>(
            _ body: (UnsafeBufferPointer<UInt8>, Range<Int>, Range<Int>) -> Result
        ) -> Result {
            source.withUnsafeBufferPointer { bytes in
                guard place.manner.contains(.foldedHeader) else {
                    return body(bytes, PropertyName.range(in: bytes, header: place.header), place.header)
                }
                let lines = ContentLines(bytes: bytes, areEndedByCR: place.manner.contains(.linesEndInCR))
                return lines.unfolded(place.header).withUnsafeBufferPointer { bytes in
                    body(bytes, PropertyName.range(in: bytes, header: 0..<bytes.count), 0..<bytes.count)
                }
            }
        }
    }
}

// MARK: - What stands in the card itself

extension VCard.Property {
    /// What stands in the card itself: a photo, a sound, a key.
    public struct Embedded: Hashable, Sendable {
        /// As in RFC 2046, if a `data:` URI names it: `image/jpeg`. Versions 2.1 and 3.0 name it in TYPE.
        public var mediaType: String?
        /// Decoded.
        public var bytes: [UInt8]
    }

    /// Whether it has base64 or a `data:` URI in place of a text or a link. Decodes nothing.
    public var isEmbedded: Bool { isBase64 && !isTextInBase64 || startsWithData }

    /// The bytes of what is embedded, in the manner of any version; nil if nothing is. Those of a text in base64 are it too.
    public var data: [UInt8]? { embedded?.bytes }

    /// What is embedded; nil if nothing is, or if it is not sound.
    public var embedded: Embedded? {
        if startsWithData {
            let uri = DataURI(rawValue)
            return uri?.bytes.map { Embedded(mediaType: uri?.mediaType, bytes: $0) }
        }
        return isBase64 ? Base64.decoded(rawValue).map { Embedded(bytes: $0) } : nil
    }

    private var startsWithData: Bool { DataURI.begins(rawStart) }
}

extension VCard.Property {
    /// The card within this one, of which the value is the bytes (2.1) or the text (3.0); nil if it is none.
    public var card: VCard? {
        let bytes = isNested ? Array(rawValue) : Array(text.utf8)
        return try? VCard(bytes)
    }
}
