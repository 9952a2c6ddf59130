import Foundation

/// Text as it is compared when somebody is looked for: words of small letters, without accents.
///
/// `Zoë O’Brien-Ångström` is ` zoe obrien angstrom`. Every word has one space before
/// it, so that “a word begins with” is a search for bytes. Letters that are no
/// accented ones but are written so by who lacks them are treated alike: ß is ss, ø is o.
/// Letters of other scripts stay, and their Latin spelling can be had beside them.
struct FoldedText {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(_ text: String) { append(text) }

    /// Words that are folded already.
    init(words: [[UInt8]]) { bytes = words.flatMap { [UInt8(ascii: " ")] + $0 } }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a word of digits from 0 to 9.
    mutating func append(digits: [UInt8]) {
        guard !digits.isEmpty else { return }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: digits.lazy.map { $0 + UInt8(ascii: "0") })
    }

    /// Adds the words of a text.
    mutating func append(_ text: String) {
        var text = text
        let isDone = text.withUTF8 { utf8 in
            let count = bytes.count
            if appendEuropean(utf8) { return true }
            bytes.removeSubrange(count...)
            return false
        }
        if !isDone { appendAny(text) }
    }

    /// Adds the words of a name if they are not there yet, and beside those of another script their Latin spelling.
    mutating func append(name: String, _ spelling: inout LatinSpelling) {
        let count = bytes.count
        append(name)
        let latin = spelling[bytes[count...]]
        if holds(bytes[count...], before: count) { bytes.removeSubrange(count...) }
        if let latin {
            let count = bytes.count
            append(latin)
            if holds(bytes[count...], before: count) { bytes.removeSubrange(count...) }
        }
    }

    /// Whether these words stand in a row before a place.
    private func holds(_ words: ArraySlice<UInt8>, before end: Int) -> Bool {
        guard words.count <= end else { return false }
        return (0...(end - words.count)).contains { start in
            let after = start + words.count
            return (after == end || bytes[after] == UInt8(ascii: " ")) && bytes[start..<after].elementsEqual(words)
        }
    }

    /// Letters up to U+023F: nearly all that is written in Europe and the Americas, without a call to the library.
    ///
    /// - Returns: Whether there were no others.
    private mutating func appendEuropean(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var isInside = false
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            index += 1
            if byte < 0x80 {
                switch Self.ascii[Int(byte)] {
                case Self.separator: isInside = false
                case Self.nothing: break
                case let letter:
                    if !isInside { bytes.append(UInt8(ascii: " ")) }
                    isInside = true
                    bytes.append(letter)
                }
            } else {
                guard byte < 0xC9, index < utf8.count else { return false }
                let letters = Self.european[Int(byte & 0x1F) << 6 | Int(utf8[index] & 0x3F)]
                index += 1
                if letters.isEmpty {
                    isInside = false
                } else {
                    if !isInside { bytes.append(UInt8(ascii: " ")) }
                    isInside = true
                    bytes.append(contentsOf: letters)
                }
            }
        }
        return true
    }

    private mutating func appendAny(_ text: String) {
        var isInside = false
        for scalar in Self.libraryFolded(text).unicodeScalars {
            let letters = scalar.value < 0x240 ? Self.folded(scalar) : Array(String(scalar).utf8)
            if Self.isNothing(scalar) { continue }
            guard !letters.isEmpty, Self.isPartOfWord(scalar) else {
                isInside = false
                continue
            }
            if !isInside { bytes.append(UInt8(ascii: " ")) }
            isInside = true
            bytes.append(contentsOf: letters)
        }
    }

    // MARK: Letters

    private static let separator: UInt8 = 0
    private static let nothing: UInt8 = 1

    private static let ascii: [UInt8] = (0..<0x80).map { (byte: UInt8) in
        let letter = byte | 0x20
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "`"): return nothing
        case _ where UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter && byte >= 0x40: return letter
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte
        default: return separator
        }
    }

    /// By the scalar's value; empty for what parts words.
    private static let european: [[UInt8]] = (0..<0x240).map { (value: UInt32) in
        Unicode.Scalar(value).map(folded) ?? []
    }

    private static func folded(_ scalar: Unicode.Scalar) -> [UInt8] {
        if let letters = byHand[scalar] { return Array(letters.utf8) }
        guard isPartOfWord(scalar) else { return [] }
        return Array(libraryFolded(String(scalar)).utf8)
    }

    /// Letters that are no accented ones to Unicode, and are written so by who lacks them.
    private static let byHand: [Unicode.Scalar: String] = [
        "ß": "ss", "Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "Ø": "o", "ø": "o", "Ł": "l", "ł": "l", "Đ": "d",
        "đ": "d",
        "Ð": "d", "ð": "d", "Þ": "th", "þ": "th", "ı": "i", "Ħ": "h", "ħ": "h", "Ŧ": "t", "ŧ": "t",
    ]

    private static func libraryFolded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// Whether it stands within words and is not looked for: apostrophes, joiners, marks of direction.
    private static func isNothing(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "'", "`", "\u{2018}", "\u{2019}", "\u{02BC}", "\u{AD}": true
        default: scalar.properties.generalCategory == .format
        }
    }
}

extension FoldedText {
    /// The words, without the space before each.
    var words: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: " ")) }

    /// Calls `body` with each word, without the space before it.
    func forEachWord(_ body: (ArraySlice<UInt8>) -> Void) {
        var start = 1
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: " ")) ?? bytes.count
            body(bytes[start..<end])
            start = end + 1
        }
    }
}

/// How words of other scripts are spelled in Latin letters. It remembers them: names come again and again.
struct LatinSpelling {
    private var known: [ArraySlice<UInt8>: String] = [:]

    /// The Latin spelling of folded words; nil if they are Latin as they are.
    subscript(_ folded: ArraySlice<UInt8>) -> String? {
        mutating get {
            // U+0370, where Greek begins, is 0xCD 0xB0.
            guard folded.contains(where: { $0 >= 0xCD }) else { return nil }
            if let spelling = known[folded] { return spelling }
            let text = String(decoding: folded, as: UTF8.self)
            let spelling = text.applyingTransform(.toLatin, reverse: false) ?? text
            known[folded] = spelling
            return spelling
        }
    }
}
