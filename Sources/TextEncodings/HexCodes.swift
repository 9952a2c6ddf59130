/// Bytes written as a sign and two hexadecimal digits: `=C3` in quoted-printable (RFC 2045, section 6.7), `%C3` in
/// URIs.
package struct HexCodes: Sendable {
    package static let quotedPrintable = HexCodes(sign: UInt8(ascii: "="))
    package static let percent = HexCodes(sign: UInt8(ascii: "%"))

    private static let digits = Array("0123456789ABCDEF".utf8)

    private let sign: UInt8

    private init(sign: UInt8) { self.sign = sign }

    /// The code of a byte.
    package func code(of byte: UInt8) -> [UInt8] {
        [sign, Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0x0F)]]
    }

    /// The decoded bytes. A sign without two digits stays unchanged.
    package func decoded(_ encoded: ArraySlice<UInt8>) -> [UInt8] { decode(encoded).bytes }

    /// The decoded bytes; nil if there is a sign without two digits.
    package func decoded(strictly encoded: ArraySlice<UInt8>) -> [UInt8]? {
        let (bytes, isValid) = decode(encoded)
        return isValid ? bytes : nil
    }

    private func decode(_ encoded: ArraySlice<UInt8>) -> (bytes: [UInt8], isValid: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var isValid = true
        var index = encoded.startIndex
        while index < encoded.endIndex {
            if encoded[index] == sign, index + 2 < encoded.endIndex,
                let high = Self.value(of: encoded[index + 1]), let low = Self.value(of: encoded[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                isValid = isValid && encoded[index] != sign
                bytes.append(encoded[index])
                index += 1
            }
        }
        return (bytes, isValid)
    }

    /// The value of a hexadecimal digit; nil for any other byte.
    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
