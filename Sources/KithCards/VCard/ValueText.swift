import TextEncodings

/// Splits a value into its texts and decodes their escapes.
///
/// Of a long run of combining marks, a text has the beginning (`StreamSafeText`).
struct ValueText {
    /// The value in UTF-8, with folds and encodings decoded.
    private let bytes: ArraySlice<UInt8>
    /// Whether `\n` is a line break. Not in quoted-printable, which has its own.
    private let hasLineBreaks: Bool
    /// Whether each byte is the character that it appears to be.
    private let isPlain: Bool

    /// - Parameters:
    ///   - bytes: The value, with folds and encodings decoded.
    ///   - charset: The declared charset, if there is one.
    ///   - undeclared: The charset without a declaration.
    ///   - hasLineBreaks: Whether `\n` is a line break.
    init(_ bytes: ArraySlice<UInt8>, charset: String?, undeclared: CardCharset, hasLineBreaks: Bool) {
        let signs = bytes.withUnsafeBufferPointer(Signs.init)
        let isASCII = !signs.contains(.beyondASCII) && charset == nil
        self.bytes = isASCII ? bytes : Charset.utf8(bytes, named: charset, else: undeclared)
        self.hasLineBreaks = hasLineBreaks
        // In another charset, bytes of other characters can look like backslashes.
        isPlain =
            !signs.contains(.escape) && (isASCII || !self.bytes.withUnsafeBufferPointer(Signs.init).contains(.escape))
    }

    /// The whole value as one text.
    var whole: String { bytes.withUnsafeBufferPointer(text) }

    /// Whether the whole value has no long run of combining marks.
    var isStreamSafe: Bool { StreamSafeText.accepts(bytes.withUnsafeBufferPointer(decoded)) }

    /// Whether all bytes are characters of the charset. A text that was converted has U+FFFD for those that are none.
    func isDecodable(isConverted: Bool) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return false }
            return !isConverted || !text.unicodeScalars.contains("\u{FFFD}")
        }
    }

    /// The comma-separated texts.
    var list: [String] {
        var texts: [String] = []
        forEachPart { part, _ in
            texts.append(text(part))
        } isSeparator: {
            $0 == .comma
        }
        return texts
    }

    /// The components, separated by semicolons, and the comma-separated values of each.
    func components(partedByCommas: Bool) -> [[String]] {
        var components: [[String]] = []
        var isNew = true
        forEachPart { part, separator in
            if isNew { components.append([text(part)]) } else { components[components.count - 1].append(text(part)) }
            isNew = separator == .semicolon
        } isSeparator: {
            $0 == .semicolon || partedByCommas && $0 == .comma
        }
        return components
    }

    /// Calls `body` with each part and the separator after it.
    private func forEachPart(
        _ body: (UnsafeBufferPointer<UInt8>, UInt8?) -> Void, isSeparator: (UInt8) -> Bool
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            var index = 0
            var left = VCard.Limits.parts
            while index < bytes.count {
                let byte = bytes[index]
                if left > 1, isSeparator(byte) {
                    left -= 1
                    body(UnsafeBufferPointer(rebasing: bytes[start..<index]), byte)
                    start = index + 1
                } else if byte == .backslash {
                    index += 1
                }
                index += 1
            }
            body(UnsafeBufferPointer(rebasing: bytes[start...]), nil)
        }
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String { StreamSafeText.clamped(decoded(bytes)) }

    /// The bytes without escapes. CR LF, CR and the vertical tab that Outlook writes become line breaks; other control
    /// characters are removed.
    private func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard !isPlain else { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            index += 1
            switch byte {
            case .backslash where hasLineBreaks && next.capital == UInt8(ascii: "N"):
                text.append(.lineFeed)
                index += 1
            case .backslash where Self.isEscaped(next):
                text.append(next)
                index += 1
            case .carriageReturn where next == .lineFeed: break
            case .carriageReturn, 0x0B: text.append(.lineFeed)
            case .lineFeed, .tab: text.append(byte)
            case 0..<0x20, 0x7F: break
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a backslash before it is removed: Google escapes colons and quotes too.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == .comma || byte == .semicolon || byte == .backslash || byte == .colon || byte == .quote
    }

    /// The contents of a text that need more than a copy.
    private struct Signs: OptionSet {
        let rawValue: UInt8

        /// A backslash or a control character.
        static let escape = Signs(rawValue: 1)
        static let beyondASCII = Signs(rawValue: 2)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            var signs: UInt8 = 0
            // Without branches, so that the compiler can vectorize the loop.
            for byte in bytes {
                signs |= (byte < 0x20 ? 1 : 0) | (byte == 0x5C ? 1 : 0) | (byte == 0x7F ? 1 : 0) | (byte >> 6 & 2)
            }
            self.init(rawValue: signs)
        }
    }
}
