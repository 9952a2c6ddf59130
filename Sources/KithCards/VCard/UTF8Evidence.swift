/// How much of some bytes is UTF-8 beyond ASCII, and how much cannot be.
package struct UTF8Evidence {
    /// Whole letters beyond ASCII.
    package private(set) var letters = 0
    /// Bytes, or the starts of letters, that are not UTF-8.
    package private(set) var flaws = 0

    init() {}

    init(_ bytes: some Collection<UInt8>) { take(bytes) }

    /// A flaw is no proof against UTF-8: programs cut values off within a letter. Nor is a letter a proof for it: two
    /// letters of Windows-1252 may look like one. So the more frequent of both decides.
    var charset: CardCharset { letters >= flaws ? .utf8 : .windows1252 }

    /// Whether all is ASCII, which is in every charset.
    var isNone: Bool { letters == 0 && flaws == 0 }

    /// Takes more bytes into account, which begin with a letter.
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

    /// How many bytes follow the first one of a letter, and which ones the second may be; nil if it begins no letter.
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
