/// How the characters of a stream are written.
enum StreamEncoding: UInt8 {
    /// In bytes that hold ASCII: UTF-8, Latin-1, whatever each property says.
    case asIs
    case utf16LittleEndian, utf16BigEndian

    /// What the first four bytes of a stream tell: a byte order mark, or the first letters of BEGIN.
    init(of start: ArraySlice<UInt8>) {
        let start = start.prefix(4).map(\.capital)
        if start.starts(with: [0xFF, 0xFE]) || start == [0x42, 0, 0x45, 0] {
            self = .utf16LittleEndian
        } else if start.starts(with: [0xFE, 0xFF]) || start == [0, 0x42, 0, 0x45] {
            self = .utf16BigEndian
        } else {
            self = .asIs
        }
    }

    /// The bytes of the stream that ``UTF16Decoder`` made `bytes` of.
    func encoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard self != .asIs else { return Array(bytes) }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count * 2)
        var iterator = bytes.makeIterator()
        func next() -> UInt32 { UInt32(iterator.next() ?? 0) & 0x3F }
        func append(_ unit: UInt32) {
            let (high, low) = (UInt8(unit >> 8 & 0xFF), UInt8(unit & 0xFF))
            encoded.append(self == .utf16BigEndian ? high : low)
            encoded.append(self == .utf16BigEndian ? low : high)
        }
        while let byte = iterator.next() {
            switch byte {
            case 0..<0x80: append(UInt32(byte))
            case 0x80..<0xE0: append(UInt32(byte & 0x1F) << 6 | next())
            case 0xE0..<0xF0: append(UInt32(byte & 0x0F) << 12 | next() << 6 | next())
            default:
                let scalar = (UInt32(byte & 0x07) << 18 | next() << 12 | next() << 6 | next()) - 0x1_0000
                append(0xD800 | scalar >> 10)
                append(0xDC00 | scalar & 0x3FF)
            }
        }
        return encoded
    }
}

/// Makes UTF-8 of UTF-16 that comes in pieces.
///
/// A surrogate without its other half becomes three bytes as any other unit
/// would, so that ``StreamEncoding/encoded(_:)`` gives back the very same bytes.
struct UTF16Decoder {
    private let isBigEndian: Bool
    private var half: UInt8?
    private var high: UInt32?

    init(_ encoding: StreamEncoding) { isBigEndian = encoding == .utf16BigEndian }

    /// Appends what `bytes` say to `text`.
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

    /// Ends the stream; returns the byte that is left where their number is odd.
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
