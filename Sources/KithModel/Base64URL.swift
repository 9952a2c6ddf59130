package import Foundation

extension ContiguousBytes {
    /// The bytes in Base64url without padding (RFC 4648, section 5).
    package var base64URL: String {
        withUnsafeBytes { bytes in
            String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
                var (rest, bits, end): (UInt32, Int, Int) = (0, 0, 0)
                for byte in bytes {
                    rest = rest << 8 | UInt32(byte)
                    bits += 8
                    while bits >= 6 {
                        bits -= 6
                        text[end] = Base64URL.character(of: rest >> UInt32(bits))
                        end += 1
                    }
                }
                if bits == 0 { return end }
                text[end] = Base64URL.character(of: rest << UInt32(6 - bits))
                return end + 1
            }
        }
    }
}

extension [UInt8] {
    /// Decodes Base64url without padding; nil if the text is not valid. Bits of the last character that belong to no byte must
    /// be zero, so that bytes have one text (RFC 4648, section 3.5).
    package init?(base64URL text: String) {
        self = []
        reserveCapacity(text.utf8.count * 3 / 4)
        var (rest, bits): (UInt32, Int) = (0, 0)
        for character in text.utf8 {
            guard let value = Base64URL.value(of: character) else { return nil }
            rest = rest << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                append(UInt8(truncatingIfNeeded: rest >> UInt32(bits)))
            }
        }
        // A single character after the last group of four has six bits, which are too few for a byte.
        if bits == 6 || rest & (1 << UInt32(bits) - 1) != 0 { return nil }
    }
}

extension Data {
    /// Decodes Base64url without padding, as the initialiser of an array does; nil if the text is not valid.
    package init?(base64URL text: String) {
        guard let bytes = [UInt8](base64URL: text) else { return nil }
        self.init(bytes)
    }
}

/// The characters of Base64url, and their values.
private enum Base64URL {
    private static let characters: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// The character of the lowest six bits.
    static func character(of bits: UInt32) -> UInt8 { characters.utf8Start[Int(bits & 0x3F)] }

    /// The six bits of a character; nil if it is none of Base64url.
    static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
