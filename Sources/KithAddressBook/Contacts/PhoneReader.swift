import KithModel

/// Parses numbers as dialled in a region.
struct PhoneReader: Sendable {
    let parser: (any PhoneNumberParser)?
    let region: Region?

    /// The E.164 form of a number.
    ///
    /// Without a parser, only numbers with a country code that consist of digits and separators have one.
    func e164(_ text: String) -> E164? {
        if let parser { return parser.e164(text, in: region) }
        guard text.utf8.first == UInt8(ascii: "+"), !text.contains("(0"),
            text.utf8.dropFirst().allSatisfy({ Self.written.contains($0) })
        else { return nil }
        return E164("+" + text.filter { "0"..."9" ~= $0 })
    }

    /// The extension in a number; nil if it has none.
    func `extension`(of text: String) -> String? {
        // Most numbers consist of digits and separators, so they need no analysis.
        let national = text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard let parser, !national.utf8.allSatisfy({ Self.written.contains($0) }) else { return nil }
        return parser.parse(text, in: region).extension
    }

    private static let written = Array("0123456789 -./()".utf8)
}
