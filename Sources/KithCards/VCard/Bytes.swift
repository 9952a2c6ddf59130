import Foundation

// MARK: One byte

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
    /// The letter as a capital. Bytes that are not ASCII letters stay unchanged.
    var capital: UInt8 { 0x61...0x7A ~= self ? self & 0xDF : self }
    /// Whether it is a digit of ASCII.
    var isDigit: Bool { 0x30...0x39 ~= self }
    /// Whether it is a letter or a digit of ASCII.
    var isLetterOrDigit: Bool { isDigit || 0x41...0x5A ~= capital }
    /// Whether it belongs to the base64 alphabet (RFC 4648, section 4).
    var isBase64: Bool { isLetterOrDigit || self == 0x2B || self == 0x2F || self == .equals }
}

// MARK: Letters

extension String {
    /// Calls `body` with the bytes of the text.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these are the letters of `word`, which is in capitals, regardless of case.
    func spells(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].capital != word.utf8Start[index] { return false }
        return true
    }

    /// Whether these are the letters of a name, which is in capitals, regardless of case.
    func spells(name word: String) -> Bool {
        word.withBytes { word in
            guard count == word.count else { return false }
            for index in 0..<count where self[index].capital != word[index] { return false }
            return true
        }
    }
}

// MARK: Places

extension UnsafeBufferPointer<UInt8> {
    /// The first index of `byte` from `start` on.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        let end = end ?? count
        guard start < end, let base = baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }

    /// The index after the line end at `index`: LF, CR LF, CR CR LF or a CR alone.
    func afterLineEnd(at index: Int) -> Int {
        guard index < count, self[index] == .carriageReturn else { return Swift.min(index + 1, count) }
        if index + 1 < count, self[index + 1] == .lineFeed { return index + 2 }
        if index + 2 < count, self[index + 1] == .carriageReturn, self[index + 2] == .lineFeed { return index + 3 }
        return index + 1
    }

    /// Whether enough bytes follow the line end at `index` to know its length.
    func isDecided(lineEndAt index: Int) -> Bool {
        guard self[index] == .carriageReturn else { return true }
        guard index + 1 < count else { return false }
        return self[index + 1] != .carriageReturn || index + 2 < count
    }

    /// `range` without the spaces and tabs at its ends.
    func trimmingBlanks(around range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The first colon in `range` outside quotes. `isQuoted`: whether `range` begins and ends inside quotes.
    func colon(in range: Range<Int>, isQuoted: inout Bool) -> Int? {
        for index in range {
            switch self[index] {
            case .quote: isQuoted.toggle()
            case .colon where !isQuoted: return index
            default: break
            }
        }
        return nil
    }
}
