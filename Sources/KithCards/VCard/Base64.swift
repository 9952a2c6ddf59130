import Foundation

/// Base64 (RFC 4648, section 4) as vCards contain it.
enum Base64 {
    /// The decoded bytes of `text`, up to the first padding; nil if it has no whole byte. Blanks, line ends and other
    /// characters outside the alphabet are skipped.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let text = text.filter { $0.isBase64 }
        var letters = Array(text.prefix { $0 != .equals })
        // A single letter at the end holds no whole byte.
        let size = letters.count * 3 / 4
        guard size > 0 || text.isEmpty else { return nil }
        // Some programs omit the padding. A letter of zeros can stand for it, because its bits are cut off.
        while !letters.count.isMultiple(of: 4) { letters.append(UInt8(ascii: "A")) }
        return Data(base64Encoded: Data(letters)).map { [UInt8]($0.prefix(size)) }
    }

    /// Whether `text` goes on after its padding, or ends with bits that are no whole byte.
    static func isDamaged(_ text: some Sequence<UInt8>) -> Bool {
        var letters = 0
        var isPadded = false
        for byte in text where byte.isBase64 {
            if byte == .equals {
                isPadded = true
            } else if isPadded {
                return true
            } else {
                letters += 1
            }
        }
        return letters % 4 == 1 || isPadded && letters == 0
    }
}
