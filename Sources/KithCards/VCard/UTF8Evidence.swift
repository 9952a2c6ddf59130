/// How many characters of some bytes are UTF-8 beyond ASCII, and how many bytes cannot be UTF-8.
package struct UTF8Evidence {
    /// Complete characters beyond ASCII.
    package private(set) var letters = 0
    /// Bytes, or starts of characters, that are not UTF-8.
    package private(set) var flaws = 0

    init() {}

    init(_ bytes: some Collection<UInt8>) { take(bytes) }

    /// A flaw does not disprove UTF-8: programs truncate values inside a character. A character does not prove it: two
    /// characters of Windows-1252 can look like one of UTF-8. So the higher count decides.
    var charset: CardCharset { letters >= flaws ? .utf8 : .windows1252 }

    /// Whether all bytes are ASCII, which is valid in every charset.
    var isNone: Bool { letters == 0 && flaws == 0 }

    /// Counts more bytes, which begin with a character.
    mutating func take(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { take($0) }
        if isDone == nil { Array(bytes).withUnsafeBufferPointer { take($0) } }
    }

    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte >= 0x80 else { continue }
            guard var (left, expected) = Self.rest(after: byte) else {
                flaws += 1
                continue
            }
            while left > 0, index < bytes.count, expected.contains(bytes[index]) {
                (left, expected) = (left - 1, 0x80...0xBF)
                index += 1
            }
            if left == 0 { letters += 1 } else { flaws += 1 }
        }
    }

    /// The number of bytes after the first byte of a character, and the valid range of the second; nil if it begins no
    /// character.
    private static func rest(after first: UInt8) -> (Int, ClosedRange<UInt8>)? {
        switch first {
        case 0xC2...0xDF: (1, 0x80...0xBF)
        case 0xE0: (2, 0xA0...0xBF)
        case 0xED: (2, 0x80...0x9F)
        case 0xE1...0xEF: (2, 0x80...0xBF)
        case 0xF0: (3, 0x90...0xBF)
        case 0xF4: (3, 0x80...0x8F)
        case 0xF1...0xF3: (3, 0x80...0xBF)
        default: nil
        }
    }
}
