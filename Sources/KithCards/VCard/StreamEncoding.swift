/// The encoding of a stream's characters.
enum StreamEncoding: UInt8 {
    /// A superset of ASCII: UTF-8, Latin-1, or the charset that each property declares.
    case asIs
    case utf16LittleEndian, utf16BigEndian

    /// Detects the encoding by the first four bytes: a byte order mark, or the first letters of BEGIN.
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

    /// The original bytes for the `bytes` that ``UTF16Decoder`` returned.
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
