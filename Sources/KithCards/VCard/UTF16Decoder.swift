/// Converts a stream of UTF-16 to UTF-8.
///
/// An unpaired surrogate becomes three bytes like any other code unit, so that ``StreamEncoding/encoded(_:)`` restores
/// the original bytes.
struct UTF16Decoder {
    private let isBigEndian: Bool
    private var half: UInt8?
    private var high: UInt32?

    init(_ encoding: StreamEncoding) { isBigEndian = encoding == .utf16BigEndian }

    /// Appends the decoded `bytes` to `text`.
    mutating func decode(_ bytes: some Sequence<UInt8>, into text: inout [UInt8]) {
        for byte in bytes {
            guard let first = half else {
                half = byte
                continue
            }
            half = nil
            take(isBigEndian ? UInt32(first) << 8 | UInt32(byte) : UInt32(byte) << 8 | UInt32(first), into: &text)
        }
    }

    /// Ends the stream; returns the remaining byte if the number of bytes is odd.
    mutating func finish(into text: inout [UInt8]) -> UInt8? {
        if let high { Self.append(high, to: &text) }
        defer { (high, half) = (nil, nil) }
        return half
    }

    private mutating func take(_ unit: UInt32, into text: inout [UInt8]) {
        if let high {
            self.high = nil
            if 0xDC00...0xDFFF ~= unit {
                return Self.append(0x1_0000 + (high & 0x3FF) << 10 + (unit & 0x3FF), to: &text)
            }
            Self.append(high, to: &text)
        }
        if 0xD800...0xDBFF ~= unit { high = unit } else { Self.append(unit, to: &text) }
    }

    private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(scalar >> shift & 0x3F) | 0x80 }
        switch scalar {
        case 0..<0x80: text.append(UInt8(scalar))
        case 0x80..<0x800: text += [UInt8(scalar >> 6) | 0xC0, tail(0)]
        case 0x800..<0x1_0000: text += [UInt8(scalar >> 12) | 0xE0, tail(6), tail(0)]
        default: text += [UInt8(scalar >> 18) | 0xF0, tail(12), tail(6), tail(0)]
        }
    }
}
