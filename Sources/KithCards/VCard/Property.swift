import Foundation
import TextEncodings

extension VCard {
    /// One property of a card. Its parts are parsed when they are read.
    public struct Property: Sendable {
        private let source: [UInt8]
        private let place: PropertyPlace
        private let encoding: StreamEncoding
        /// The charset of its text if it declares none.
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

        /// The group that connects it with other properties: `item1` in `item1.TEL`; nil without one.
        public var group: String? {
            withHeader { bytes, name, header in
                let group = bytes[header.lowerBound..<max(header.lowerBound, name.lowerBound - 1)]
                return group.isEmpty ? nil : Charset.text(group, headerCharset)
            }
        }

        /// The name in capitals: `TEL`.
        public var name: String {
            knownName?.rawValue
                ?? withHeader { bytes, name, _ in
                    String(capitals: UnsafeBufferPointer(rebasing: bytes[name]), headerCharset)
                }
        }

        /// The name as written: `X-ABLabel`.
        var writtenName: String {
            withHeader { bytes, name, _ in String(decoding: bytes[name], as: UTF8.self) }
        }

        /// The name, if this library knows it.
        public var knownName: PropertyName? {
            withHeader { bytes, name, _ in PropertyName(UnsafeBufferPointer(rebasing: bytes[name])) }
        }

        /// The parameters.
        public var parameters: Parameters {
            guard place.manner.contains(.parameters) else { return Parameters() }
            return withHeader { bytes, name, header in
                Parameters(in: bytes, name.upperBound..<header.upperBound, version: version, charset: headerCharset)
            }
        }

        /// The bytes of the value, without folds and soft breaks, otherwise as written.
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
        /// Encoding, charset, folds and escapes are decoded, also base64 if the property contains a text. Line breaks
        /// are `\n`; other control characters except the tab are removed, and so are combining marks after 64 in a row.
        public var text: String { valueText.whole }

        /// The components of a structured value, such as a name or an address, and the values of each.
        ///
        /// In version 2.1, commas do not separate values.
        public var components: [[String]] { valueText.components(partedByCommas: version != .v2_1) }

        /// The comma-separated texts.
        public var list: [String] { valueText.list }

        /// Whether its text has no long run of combining marks.
        var isStreamSafe: Bool { valueText.isStreamSafe }

        /// Whether all bytes of its text are characters of its charset.
        var isDecodable: Bool { valueText.isDecodable(isConverted: isInForeignCharset && charset != nil) }

        private var valueText: ValueText {
            var bytes = rawValue
            var undeclared = headerCharset
            var isEncoded = false
            if isQuotedPrintable {
                bytes = ArraySlice(HexCodes.quotedPrintable.decoded(bytes))
                (undeclared, isEncoded) = (cardCharset, true)
            } else if isBase64 {
                if isTextInBase64, !Base64.isDamaged(bytes), let text = Base64.decoded(bytes) {
                    (bytes, isEncoded) = (text[...], true)
                }
                // Base64 has its own rules, valid or not: it stays unchanged in any charset.
                undeclared = UTF8Evidence(bytes).charset
            }
            return ValueText(
                bytes, charset: charset, undeclared: undeclared, hasLineBreaks: version != .v2_1 || !isEncoded)
        }

        /// The charset of the header. In a UTF-16 stream it is known.
        var headerCharset: CardCharset { encoding == .asIs ? cardCharset : .utf8 }

        /// The charset that the property declares. No other parameter is parsed for it.
        ///
        /// In a UTF-16 stream, only the decoded bytes of quoted-printable and base64 have one.
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
        /// Whether it contains a text in base64, because its kind does not embed data.
        var isTextInBase64: Bool {
            guard isBase64, let name = knownName else { return false }
            return ![.photo, .logo, .sound, .key].contains(name)
        }
        var isNested: Bool { place.manner.contains(.nested) }
        var isQuotedPrintable: Bool { place.manner.contains(.quotedPrintable) }
        var isInForeignCharset: Bool { place.manner.contains(.foreignCharset) }
        /// Whether its name is that of a date property.
        var isOfDay: Bool { place.manner.contains(.day) }
        /// The header without folds.
        var headerBytes: [UInt8] { withHeader { bytes, _, header in Array(bytes[header]) } }
        /// The bytes of the value as written, with folds.
        var writtenValue: ArraySlice<UInt8> { source[place.value] }
        /// The first bytes of the value, without folds.
        var rawStart: [UInt8] {
            source.withUnsafeBufferPointer { bytes in
                let lines = ContentLines(bytes: bytes, areEndedByCR: place.manner.contains(.linesEndInCR))
                return lines.unfolded(place.value.prefix(32))
            }
        }

        /// Calls `body` with unfolded bytes, the range of the name and the range of the header.
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

// MARK: - Embedded data

extension VCard.Property {
    /// Embedded data: a photo, a sound, a key.
    public struct Embedded: Hashable, Sendable {
        /// The media type (RFC 2046) if a `data:` URI names it: `image/jpeg`. Versions 2.1 and 3.0 name it in TYPE.
        public var mediaType: String?
        /// The decoded bytes.
        public var bytes: [UInt8]
    }

    /// Whether the value is base64 or a `data:` URI instead of a text or a link. Decodes nothing.
    public var isEmbedded: Bool { isBase64 && !isTextInBase64 || startsWithData }

    /// The decoded bytes of the value, in any version; nil if nothing is embedded. A text in base64 counts as embedded.
    public var data: [UInt8]? { embedded?.bytes }

    /// The embedded data; nil if there is none, or if none of it can be decoded. Of damaged data, it is the beginning.
    public var embedded: Embedded? {
        if startsWithData {
            let uri = DataURI(rawValue)
            return uri?.bytes.map { Embedded(mediaType: uri?.mediaType, bytes: $0) }
        }
        // A text that is not valid base64 is a text as written.
        guard isBase64, !(isTextInBase64 && Base64.isDamaged(rawValue)) else { return nil }
        return Base64.decoded(rawValue).map { Embedded(bytes: $0) }
    }

    /// Whether embedded base64 is damaged or cut off. Decodes nothing.
    var isDamaged: Bool {
        guard isEmbedded else { return false }
        return startsWithData ? DataURI(writtenValue)?.isDamaged ?? false : Base64.isDamaged(writtenValue)
    }

    private var startsWithData: Bool { DataURI.begins(rawStart) }
}

extension VCard.Property {
    /// The nested card, from the bytes of the value (2.1) or from its text (3.0); nil if there is none.
    public var card: VCard? {
        let bytes = isNested ? Array(rawValue) : Array(text.utf8)
        return try? VCard(bytes)
    }
}
