/// Windows-1252, and Latin-1, which differs from it in 0x80 to 0x9F.
package enum Windows1252 {
    /// The characters of 0x80 to 0x9F. Nil for undefined bytes, which are decoded as in Latin-1.
    private static let letters: [Unicode.Scalar?] = [
        "€", nil, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nil, "Ž", nil,
        nil, "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nil, "ž", "Ÿ",
    ]

    /// The bytes of these characters.
    private static let places: [Unicode.Scalar: UInt8] = Dictionary(
        uniqueKeysWithValues: zip(letters, 0x80...).compactMap { letter, byte in letter.map { ($0, byte) } })

    /// The text in UTF-8.
    package static func utf8(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            if byte < 0x80 {
                text.append(byte)
            } else if byte < 0xA0, let letter = letters[Int(byte) - 0x80] {
                text.append(contentsOf: String(letter).utf8)
            } else {
                text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
            }
        }
        return text[...]
    }

    /// A UTF-8 text in this charset; nil if the charset lacks one of its characters.
    package static func bytes(_ utf8: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            if let byte = places[scalar] {
                bytes.append(byte)
            } else if let byte = UInt8(exactly: scalar.value), !(0x80..<0xA0 ~= byte) || isFree(byte) {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return bytes
    }

    /// Whether a byte from 0x80 to 0x9F is undefined.
    private static func isFree(_ byte: UInt8) -> Bool { letters[Int(byte) - 0x80] == nil }
}
