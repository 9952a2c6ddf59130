import Foundation

extension VCard.Property {
    /// What stands in the card itself: a photo, a sound, a key.
    public struct Embedded: Hashable, Sendable {
        /// As in RFC 2046, if a `data:` URI names it: `image/jpeg`. Versions 2.1 and 3.0 name it in TYPE.
        public var mediaType: String?
        /// Decoded.
        public var bytes: [UInt8]
    }

    /// Whether it has base64 or a `data:` URI in place of a text or a link. Decodes nothing.
    public var isEmbedded: Bool { isBase64 || startsWithData }

    /// The bytes of what is embedded, in the manner of any version; nil if nothing is.
    public var data: [UInt8]? { embedded?.bytes }

    /// What is embedded; nil if nothing is, or if it is not sound.
    public var embedded: Embedded? {
        if startsWithData { return dataURI }
        guard isBase64 else { return nil }
        return Self.base64(rawValue).map { Embedded(bytes: $0) }
    }

    private var startsWithData: Bool {
        rawStart.drop(while: \.isBlank).prefix(5).map(\.capital).elementsEqual("DATA:".utf8)
    }

    /// RFC 2397.
    private var dataURI: Embedded? {
        // Some programs escape commas and semicolons here too.
        let uri = rawValue.drop(while: \.isBlank).filter { $0 != .backslash }.dropFirst("data:".utf8.count)
        guard let comma = uri.firstIndex(of: .comma) else { return nil }
        let parts = uri[..<comma].split(separator: .semicolon, omittingEmptySubsequences: false)
        let type = parts.first.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
        let content = uri[(comma + 1)...]
        let isBase64 = parts.dropFirst().contains { String(decoding: $0, as: UTF8.self).lowercased() == "base64" }
        let bytes = isBase64 ? Self.base64(content) : Self.percentDecoded(content)
        return bytes.map { Embedded(mediaType: type, bytes: $0) }
    }

    /// Blanks, line ends and whatever else is no sign of base64 are passed over.
    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var text = text.filter { $0.isBase64 }
        // Some programs leave the filling at the end out.
        while !text.count.isMultiple(of: 4) { text.append(.equals) }
        return Data(base64Encoded: Data(text)).map { [UInt8]($0) }
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let code = text[index...].prefix(3).dropFirst().map(\.hexValue)
            if text[index] == UInt8(ascii: "%"), code.count == 2, let high = code[0], let low = code[1] {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded
    }
}

extension VCard.Property {
    /// The card within this one, of which the value is the bytes (2.1) or the text (3.0); nil if it is none.
    public var card: VCard? {
        let bytes = isNested ? Array(rawValue) : Array(text.utf8)
        return try? VCard(bytes)
    }
}
