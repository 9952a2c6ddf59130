/// Bytes written as a marker and two hexadecimal digits: `=C3` in quoted-printable (RFC 2045, section 6.7), `%C3` in
/// URIs.
enum HexCodes {
    /// The decoded bytes. A marker without two digits stays unchanged.
    static func decoded(_ encoded: ArraySlice<UInt8>, sign: UInt8) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var index = encoded.startIndex
        while index < encoded.endIndex {
            if encoded[index] == sign, index + 2 < encoded.endIndex,
                let high = encoded[index + 1].hexValue, let low = encoded[index + 2].hexValue
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(encoded[index])
                index += 1
            }
        }
        return decoded
    }

    /// `=C3` for C3.
    static func quotedPrintable(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [.equals, digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
    }
}
