/// The rule that a text has no long run of combining marks, after the Stream-Safe Text Format of Unicode (UAX #15,
/// definition D3).
///
/// Unicode compares texts regardless of the order of the marks after a letter, so Swift sorts these marks whenever it
/// compares or hashes a text. The time grows with the square of their number: a megabyte of marks takes many minutes. The
/// Stream-Safe Text Format permits 30 marks in a row, more than any language needs. ``most`` is twice that.
///
/// A text is checked once, where it comes in. No code that compares texts needs a check of its own.
package enum StreamSafeText {
    /// The maximum number of combining marks in a row.
    package static let most = 64

    /// What a longer run is called in a sentence about a fault.
    package static let excess = "more than \(most) combining marks in a row"

    /// The maximum number of bytes of a text that cannot break the rule, because each mark has two bytes or more.
    private static let safeBytes = 2 * most

    /// Whether the text keeps the rule.
    package static func accepts(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard utf8.count > safeBytes, !utf8.allSatisfy({ $0 < 0x80 }) else { return true }
        var run = Run()
        return text.unicodeScalars.allSatisfy { run.takes($0) }
    }

    /// The text without the marks that are too many.
    package static func clamped(_ text: String) -> String {
        if accepts(text) { return text }
        var run = Run()
        var clamped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where run.takes(scalar) { clamped.append(scalar) }
        return String(clamped)
    }

    /// The place of the first mark that is too many in a text of a JSON document, as itself or as an escape; nil if all
    /// texts keep the rule.
    ///
    /// The document need be neither well-formed nor valid UTF-8. What is in ASCII without escapes costs little time.
    package static func excess(inJSON json: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        while let start = json.firstUnplain(from: place) {
            let end = json.endOfUnplain(from: start)
            if end - start > safeBytes, let excess = excess(in: json, start..<end) { return excess }
            // Another escape, such as `\n`, is no mark.
            place = end > start ? end : start + 2
        }
        return nil
    }

    private static func excess(in json: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var run = Run()
        var place = range.lowerBound
        while place < range.upperBound {
            let start = place
            if let scalar = json.scalar(at: &place, before: range.upperBound) {
                if !run.takes(scalar) { return start }
            } else {
                run = Run()
            }
        }
        return nil
    }

    /// Counts the marks since the last other character.
    private struct Run {
        private var marks = 0

        /// Counts a character, and returns whether it keeps the rule.
        mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
            guard StreamSafeText.isMark(scalar) else {
                marks = 0
                return true
            }
            marks += 1
            return marks <= StreamSafeText.most
        }
    }

    /// Whether the character is a non-starter of Unicode, or decomposes into non-starters only, as three vowel signs of
    /// Tibetan do.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Ideographs, kana and Hangul need no look-up in the tables of Unicode.
        case ..<0x300, 0x3030...0x3098, 0x309B...0xA66E, 0xAC00...0xFB1D: false
        case 0xF73, 0xF75, 0xF81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension UnsafeRawBufferPointer {
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let backslash = UInt8(ascii: "\\")

    /// The first byte from `start` on that is a backslash or not ASCII.
    fileprivate func firstUnplain(from start: Int) -> Int? {
        var place = start
        while place + 8 <= count {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let difference = word ^ (Self.ones &* UInt64(Self.backslash))
            // A byte of `difference` that is 0 borrows from its highest bit.
            if (word | (difference &- Self.ones) & ~difference) & Self.highBits != 0 { break }
            place += 8
        }
        while place < count {
            if self[place] >= 0x80 || self[place] == Self.backslash { return place }
            place += 1
        }
        return nil
    }

    /// The end of the characters from `start` on that are not ASCII or are escapes with four digits.
    fileprivate func endOfUnplain(from start: Int) -> Int {
        var place = start
        while place < count {
            if self[place] >= 0x80 {
                place += 1
            } else if isEscape(at: place) {
                place += 6
            } else {
                break
            }
        }
        return Swift.min(place, count)
    }

    /// Reads the character at `place`, which is not ASCII or an escape with four digits, and moves to the next; nil if it
    /// is no character.
    fileprivate func scalar(at place: inout Int, before end: Int) -> Unicode.Scalar? {
        let first = self[place]
        if first == Self.backslash {
            let unit = codeUnit(at: &place)
            guard 0xD800..<0xDC00 ~= unit, place < end, isEscape(at: place) else { return Unicode.Scalar(unit) }
            var next = place
            let low = codeUnit(at: &next)
            guard 0xDC00..<0xE000 ~= low else { return nil }
            place = next
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        }
        // The number of leading ones is that of the bytes.
        let length = Swift.min((~first).leadingZeroBitCount, 4)
        var value = UInt32((first << length) >> length)
        let last = Swift.min(place + length, end)
        for index in (place + 1)..<Swift.max(last, place + 1) { value = value << 6 | UInt32(self[index] & 0x3F) }
        place = Swift.max(last, place + 1)
        return Unicode.Scalar(value)
    }

    private func isEscape(at place: Int) -> Bool {
        self[place] == Self.backslash && place + 1 < count && self[place + 1] == UInt8(ascii: "u")
    }

    /// Reads the four digits of the escape at `place`. If they are not digits, the result is 0, which is no mark.
    private func codeUnit(at place: inout Int) -> UInt32 {
        let digits = self[Swift.min(place + 2, count)..<Swift.min(place + 6, count)]
        place += 6
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    }
}
