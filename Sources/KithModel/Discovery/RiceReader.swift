/// Reads the numbers of a ``RiceWriter``, one at a time. The bytes are not trusted.
struct RiceReader {
    private let bytes: UnsafeRawBufferPointer
    private let width: Int
    private var last: UInt64 = 0
    /// The number of bits that have been read.
    private var place = 0
    private let end: Int

    /// The number of bits that ``window()`` has at least.
    private static let windowBits = 56

    /// A reader of differences with `width` low bits, at most 48.
    init(_ bytes: UnsafeRawBufferPointer, width: Int) {
        (self.bytes, self.width) = (bytes, width)
        end = 8 * bytes.count
    }

    /// Whether only the zeros that fill up the last byte are left.
    var isAtEnd: Bool { place <= end && end - place < 8 && window() == 0 }

    /// The next number; nil if the bytes end before it, or if it has more than 63 bits.
    mutating func next() -> UInt64? {
        var quotient = 0
        while true {
            let zeros = window().leadingZeroBitCount
            let isFound = zeros < Self.windowBits
            quotient += isFound ? zeros : Self.windowBits
            place += isFound ? zeros + 1 : Self.windowBits
            guard place <= end else { return nil }
            if isFound { break }
        }
        guard end - place >= width, quotient >> (62 - width) == 0 else { return nil }
        let rest = width == 0 ? 0 : window() >> UInt64(64 - width)
        place += width
        last += UInt64(quotient) << UInt64(width) | rest
        return last < 1 << 63 ? last : nil
    }

    /// The next bits, at the top of the number, with zeros after the end.
    private func window() -> UInt64 {
        let byte = place >> 3
        if byte + 8 <= bytes.count {
            let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
            return word << UInt64(place & 7)
        }
        var word: UInt64 = 0
        for index in byte..<(byte + 8) { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
        return word << UInt64(place & 7)
    }
}
