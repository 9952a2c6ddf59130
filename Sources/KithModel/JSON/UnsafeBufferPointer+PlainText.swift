extension UnsafeBufferPointer<UInt8> {
    /// Finds the end of the bytes that stand for themselves in a JSON text, from `start` on: the next quote, backslash or
    /// control character (RFC 8259, section 7), or the end of the buffer.
    ///
    /// - Returns: The end, and whether the bytes before it are ASCII. That can be false although they are.
    func plainText(from start: Int) -> (end: Int, isASCII: Bool) {
        var (place, high): (Int, UInt64) = (start, 0)
        while let word = word(at: place) {
            high |= word & EightBytes.highBits
            let stops =
                EightBytes.first(equalTo: UInt8(ascii: "\""), in: word)
                | EightBytes.first(equalTo: UInt8(ascii: "\\"), in: word) | EightBytes.first(below: 0x20, in: word)
            if stops != 0 { return (place + stops.trailingZeroBitCount / 8, high == 0) }
            place += 8
        }
        while place < count {
            switch self[place] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), ..<0x20: return (place, high == 0)
            default: high |= UInt64(self[place] & 0x80)
            }
            place += 1
        }
        return (place, high == 0)
    }

    /// Eight bytes, the first one lowest; nil if there are fewer.
    private func word(at place: Int) -> UInt64? {
        guard place + 8 <= count, let baseAddress else { return nil }
        return UInt64(littleEndian: UnsafeRawPointer(baseAddress + place).loadUnaligned(as: UInt64.self))
    }
}
