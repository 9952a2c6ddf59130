import Foundation

/// Finds where lines end in the bytes of a card.
///
/// LF, CR LF and CR CR LF end lines everywhere (some programs write the last of
/// them). A CR alone does so only in a card whose first line ends in one: in
/// others it is a stray control character within a value.
struct ContentLines {
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether a CR alone ends a line.
    let areEndedByCR: Bool

    /// A line by its places: where it begins, where its text ends, and where the next one begins.
    struct Line {
        let start: Int
        let end: Int
        let next: Int
    }

    /// The line that begins at `start`; the last one ends where the bytes end.
    func line(at start: Int) -> Line {
        if areEndedByCR {
            let end = bytes[start...].firstIndex(where: \.isLineEnd) ?? bytes.count
            return Line(start: start, end: end, next: bytes.afterLineEnd(at: end))
        }
        guard let lineFeed = bytes.firstIndex(of: .lineFeed, from: start) else {
            return Line(start: start, end: bytes.count, next: bytes.count)
        }
        var end = lineFeed
        while end > start, bytes[end - 1] == .carriageReturn { end -= 1 }
        return Line(start: start, end: end, next: lineFeed + 1)
    }

    /// Whether there is nothing on the line.
    func isBlank(_ line: Line) -> Bool { bytes[line.start..<line.end].allSatisfy(\.isBlank) }

    /// Whether the line is the rest of the one before it.
    func isFolded(_ line: Line) -> Bool { line.start < line.end && bytes[line.start].isBlank }
}

extension UnsafeBufferPointer<UInt8> {
    /// The first place of `byte` from `start` on.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        let end = end ?? count
        guard start < end, let base = baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }

    /// The place after the line end at `index`: LF, CR LF, CR CR LF or a CR alone.
    func afterLineEnd(at index: Int) -> Int {
        guard index < count, self[index] == .carriageReturn else { return Swift.min(index + 1, count) }
        if index + 1 < count, self[index + 1] == .lineFeed { return index + 2 }
        if index + 2 < count, self[index + 1] == .carriageReturn, self[index + 2] == .lineFeed { return index + 3 }
        return index + 1
    }
}

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let apostrophe: UInt8 = 0x27
    static let comma: UInt8 = 0x2C
    static let dot: UInt8 = 0x2E
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let backslash: UInt8 = 0x5C
    static let caret: UInt8 = 0x5E

    var isLineEnd: Bool { self == .lineFeed || self == .carriageReturn }
    /// Whether it is a space or a tab.
    var isBlank: Bool { self == .space || self == .tab }
    /// The letter in capitals; what is no letter of ASCII stays.
    var capital: UInt8 { 0x61...0x7A ~= self ? self & 0xDF : self }
    /// Whether it is a sign of base64 (RFC 4648, section 4).
    var isBase64: Bool {
        0x30...0x39 ~= self || 0x41...0x5A ~= capital || self == 0x2B || self == 0x2F || self == .equals
    }
    /// The value of a hexadecimal digit.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46, 0x61...0x66: (self & 0xDF) - 0x37
        default: nil
        }
    }
}
