import Foundation
import TextEncodings

/// A `data:` URI (RFC 2397) from a card or from JSON. Nothing is decoded before ``bytes`` is read.
struct DataURI {
    /// The media type in small letters (RFC 2046): `image/jpeg`; nil if the URI names none, as it may for a text.
    let mediaType: String?
    private let isBase64: Bool
    private let content: ArraySlice<UInt8>

    /// Parses `bytes`; nil if they are no data URI. Blanks, folds, and backslashes before commas and semicolons, which
    /// some programs add, are skipped.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard Self.begins(bytes), let comma = bytes.firstIndex(of: .comma) else { return nil }
        let head = bytes[..<comma].filter { $0 > 0x20 && $0 != .backslash }.dropFirst("data:".utf8.count)
        let parts = head.split(separator: .semicolon, omittingEmptySubsequences: false)
            .map { StreamSafeText.clamped(String(decoding: $0, as: UTF8.self)).lowercased() }
        mediaType = parts.first.flatMap { $0.contains("/") ? $0 : nil }
        let content = bytes[(comma + 1)...]
        self.content = content
        isBase64 = parts.dropFirst().contains("base64") || parts == ["base64"] && Self.isBase64Alone(content)
    }

    /// Whether the content is base64. Some programs leave out the semicolon before `base64` together with the media type.
    private static func isBase64Alone(_ content: ArraySlice<UInt8>) -> Bool {
        content.contains(where: \.isBase64) && content.allSatisfy { $0.isBase64 || $0 <= 0x20 }
            && !Base64.isDamaged(content)
    }

    /// Parses a text; nil if it is no data URI.
    init?(_ text: String) {
        guard text.hasPrefixIgnoringCase("data:") else { return nil }
        self.init(ArraySlice(text.utf8))
    }

    /// Whether these are the first bytes of a data URI.
    static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.lazy.filter { $0 > 0x20 }.prefix(5).map(\.capital).elementsEqual("DATA:".utf8)
    }

    /// The decoded content; nil if it is not valid.
    var bytes: [UInt8]? { isBase64 ? Base64.decoded(unescaped) : Array(unescaped) }

    /// Whether its base64 is damaged or cut off.
    var isDamaged: Bool { isBase64 && Base64.isDamaged(unescaped) }

    /// The content without percent escapes.
    private var unescaped: ArraySlice<UInt8> {
        // A photo has no percent escapes, and base64 decoding skips other characters anyway.
        if isBase64, !content.contains(UInt8(ascii: "%")) { return content }
        return HexCodes.percent.decoded(ArraySlice(content.filter { $0 != .backslash }))[...]
    }

    /// The URI with the content `bytes`, as a text.
    static func text(_ bytes: [UInt8], mediaType: String?) -> String {
        "data:\(mediaType ?? "application/octet-stream");base64,\(Data(bytes).base64EncodedString())"
    }
}
