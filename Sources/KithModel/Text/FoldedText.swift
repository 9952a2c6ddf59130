import Foundation

/// Text in a form for searches: words in lower case, without accents.
///
/// `Zoë O’Brien-Ångström` becomes ` zoe obrien angstrom`. Each word follows a space, so that the beginning of a word
/// can be found by a search for bytes. Letters that Unicode does not treat as accented, but that people often write
/// without the accent, are folded too: ß becomes ss, ø becomes o. Letters of other scripts are kept; their Latin
/// spelling can be added.
package struct FoldedText: Sendable {
    /// The words in UTF-8, each after a space.
    package private(set) var bytes: [UInt8] = []

    /// Creates a text without words.
    package init() {}

    /// Creates a text from the words of `text`.
    package init(_ text: String) { append(text) }

    /// Creates a text from folded words.
    package init(words: [[UInt8]]) { bytes = words.flatMap { [UInt8(ascii: " ")] + $0 } }

    /// Whether there are no words.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Removes all words, but keeps the allocated memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a word of digits from 0 to 9.
    package mutating func append(digits: [UInt8]) {
        guard !digits.isEmpty else { return }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: digits.lazy.map { $0 + UInt8(ascii: "0") })
    }

    /// Adds the words of a text.
    package mutating func append(_ text: String) {
        let count = bytes.count
        if count == 0 { bytes.reserveCapacity(text.utf8.count + 1) }
        var text = text
        if text.withUTF8({ appendCommon($0) }) { return }
        bytes.removeSubrange(count...)
        var isInside = false
        for character in Self.libraryFolded(text).unicodeScalars { add(Self.sign(of: character), &isInside) }
    }

    /// Adds the words of a name and their alternative spellings, each word once.
    ///
    /// Words of other scripts are also added in their Latin spelling. Words with umlauts are also added with two
    /// letters for each umlaut. The part after an apostrophe is also added as a separate word: `neill` for `O’Neill`.
    /// `seen` has the hashes of the words that were already added.
    package mutating func append(name: String, _ spelling: inout LatinSpelling, _ seen: inout Set<Int>) {
        var words = FoldedText(name)
        if let latin = spelling[words.bytes[...]] { words.append(latin) }
        if name.hasUmlauts { words.append(name.spellingUmlauts) }
        if name.utf8.contains(where: Self.beginsApostrophe) {
            for part in name.split(whereSeparator: \.isApostrophe) where part.count > 1 { words.append(String(part)) }
        }
        words.forEachWord { word in
            guard seen.insert(word.hashValue).inserted else { return }
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: word)
        }
    }

    /// Adds a text of common characters, without a call to the Unicode library. Nearly all texts in Europe and the
    /// Americas are such texts.
    ///
    /// - Returns: Whether the text has only common characters.
    private mutating func appendCommon(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var isInside = false
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            let letter = byte < 0x80 ? Self.ascii[Int(byte)] : 0
            if letter != 0 {
                if !isInside { bytes.append(UInt8(ascii: " ")) }
                isInside = true
                bytes.append(letter)
                index += 1
                continue
            }
            let (value, length) = Self.character(in: utf8, at: index)
            index += length
            switch value {
            case 0..<Self.commonEnd: add(Self.common[value], &isInside)
            case Self.punctuationRange: add(Self.punctuation[value - Self.punctuationRange.lowerBound], &isInside)
            default: return false
            }
        }
        return true
    }

    private static func character(in utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> (value: Int, length: Int) {
        func bits(_ ahead: Int) -> Int { Int(utf8[index + ahead] & 0x3F) }
        return switch utf8[index] {
        case 0..<0x80: (Int(utf8[index]), 1)
        case 0xC0..<0xE0: (Int(utf8[index] & 0x1F) << 6 | bits(1), 2)
        case 0xE0..<0xF0: (Int(utf8[index] & 0x0F) << 12 | bits(1) << 6 | bits(2), 3)
        default: (.max, 4)
        }
    }

    private mutating func add(_ sign: Sign, _ isInside: inout Bool) {
        switch sign {
        case .nothing: break
        case .gap: isInside = false
        case .letters(let letters):
            if !isInside { bytes.append(UInt8(ascii: " ")) }
            isInside = true
            bytes.append(contentsOf: letters)
        }
    }

    // MARK: Characters

    /// The role of a character in a text.
    private enum Sign: Sendable {
        case letters([UInt8])
        /// The character separates two words.
        case gap
        /// The character is part of a word but ignored in searches: apostrophes, combining accents, direction marks.
        case nothing
    }

    private static func sign(of character: Unicode.Scalar) -> Sign {
        switch Int(character.value) {
        case let value where value < commonEnd: common[value]
        case let value where punctuationRange ~= value: punctuation[value - punctuationRange.lowerBound]
        default: isPartOfWord(character) ? .letters(Array(String(character).utf8)) : .gap
        }
    }

    /// The end of the Latin, Greek and Cyrillic letters.
    private static let commonEnd = 0x530
    private static let common = (0..<UInt32(commonEnd)).map(made)
    /// Quotation marks, dashes and direction marks.
    private static let punctuationRange = 0x2000..<0x2070
    private static let punctuation = punctuationRange.map { made(UInt32($0)) }
    /// The ASCII letters and digits in lower case; 0 for other characters.
    private static let ascii: [UInt8] = (0..<0x80).map { (byte: UInt8) in
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z") where byte >= 0x40: byte | 0x20
        case UInt8(ascii: "0")...UInt8(ascii: "9") where byte >= 0x30: byte
        default: 0
        }
    }

    private static func made(_ value: UInt32) -> Sign {
        guard let character = Unicode.Scalar(value) else { return .gap }
        if let letters = byHand[character] { return .letters(Array(letters.utf8)) }
        if Character(character).isApostrophe || "\u{300}"..."\u{36F}" ~= character { return .nothing }
        if character.properties.generalCategory == .format { return .nothing }
        return isPartOfWord(character) ? .letters(Array(libraryFolded(String(character)).utf8)) : .gap
    }

    /// Whether an apostrophe may begin with this UTF-8 byte.
    private static func beginsApostrophe(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") || byte == 0xE2 || byte == 0xCA
    }

    /// Letters that Unicode does not treat as accented, but that people often write without the accent.
    private static let byHand: [Unicode.Scalar: String] = [
        "ß": "ss", "Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "Ø": "o", "ø": "o", "Ł": "l", "ł": "l", "Đ": "d",
        "đ": "d", "Ð": "d", "ð": "d", "Þ": "th", "þ": "th", "ı": "i", "Ħ": "h", "ħ": "h", "Ŧ": "t", "ŧ": "t",
    ]

    private static func libraryFolded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    private static func isPartOfWord(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}

extension FoldedText {
    /// The words, without the space before each.
    package var words: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: " ")) }

    /// Whether the text is in a script without spaces between the words of a name: Chinese, Japanese, Korean.
    package var isWrittenWithoutSpaces: Bool { bytes.contains { 0xE3...0xED ~= $0 || $0 == 0xF0 } }

    /// Calls `body` with each word, without the space before it.
    package func forEachWord(_ body: (ArraySlice<UInt8>) -> Void) {
        var start = 1
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: " ")) ?? bytes.count
            body(bytes[start..<end])
            start = end + 1
        }
    }
}

extension Character {
    fileprivate var isApostrophe: Bool { ["'", "`", "\u{2018}", "\u{2019}", "\u{02BC}"].contains(self) }
}
