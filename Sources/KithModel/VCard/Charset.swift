import Foundation

/// What the bytes of a text mean.
enum Charset {
    /// `bytes` in UTF-8, read as the charset `name`, or as what they look like where the card names none.
    ///
    /// Text that is not UTF-8 is taken for Windows-1252, of which Latin-1 is a part.
    /// But where it has a letter of UTF-8 beyond ASCII, it is UTF-8 with a flaw: a
    /// program has cut it off by bytes.
    static func utf8(_ bytes: ArraySlice<UInt8>, named name: String?) -> ArraySlice<UInt8> {
        guard bytes.contains(where: { $0 >= 0x80 }) || name.map(usesEscapes) == true else { return bytes }
        if let name, let encoding = encoding(named: name) {
            switch encoding {
            case .utf8: return bytes
            case .windowsCP1252: return Windows1252.utf8(bytes) ?? bytes
            default: return String(data: Data(bytes), encoding: encoding).map { ArraySlice($0.utf8) } ?? bytes
            }
        }
        if hasLetterBeyondASCII(bytes) { return bytes }
        // A few bytes mean nothing in Windows-1252; in Latin-1 each means something.
        return Windows1252.utf8(bytes) ?? Windows1252.utf8(ofLatin1: bytes)
    }

    /// `bytes` as text, read as what they look like.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        guard !bytes.allSatisfy({ $0 < 0x80 }) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: utf8(ArraySlice(bytes), named: nil), as: UTF8.self)
    }

    private static func usesEscapes(_ name: String) -> Bool { name.uppercased().hasPrefix("ISO-2022") }

    private static func encoding(named name: String) -> String.Encoding? {
        // What nearly all cards have, without a look into the table.
        if name == "UTF-8" || name == "utf-8" { return .utf8 }
        return encodings[name.uppercased().filter { $0 != "-" && $0 != "_" }]
    }

    /// By IANA's names, in capitals and without signs; the numbers without a name are Core Foundation's.
    private static let encodings: [String: String.Encoding] = {
        var encodings: [String: String.Encoding] = [
            "UTF8": .utf8, "USASCII": .windowsCP1252, "ASCII": .windowsCP1252, "ISO88591": .windowsCP1252,
            "LATIN1": .windowsCP1252, "SHIFTJIS": .shiftJIS, "SJIS": .shiftJIS, "EUCJP": .japaneseEUC,
            "ISO2022JP": .iso2022JP, "WINDOWS1250": .windowsCP1250, "WINDOWS1251": .windowsCP1251,
            "WINDOWS1252": .windowsCP1252, "CP1252": .windowsCP1252, "WINDOWS1253": .windowsCP1253,
            "WINDOWS1254": .windowsCP1254,
        ]
        let others: [String: UInt] = [
            "KOI8R": 0xA02, "KOI8U": 0xA08, "GB2312": 0x632, "GBK": 0x632, "GB18030": 0x632, "BIG5": 0xA03,
            "EUCKR": 0x940, "WINDOWS1255": 0x505, "WINDOWS1256": 0x506, "WINDOWS1257": 0x507, "WINDOWS1258": 0x508,
        ]
        for (name, number) in others { encodings[name] = String.Encoding(rawValue: 0x8000_0000 | number) }
        for part in UInt(2)...15 {
            encodings["ISO8859\(part)"] = String.Encoding(rawValue: 0x8000_0000 | 0x200 + part)
        }
        return encodings
    }()

    /// Whether there is a whole character of UTF-8 that is not of ASCII.
    private static func hasLetterBeyondASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains { index in
            let (length, second): (Int, ClosedRange<UInt8>)
            switch bytes[index] {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            default: return false
            }
            let rest = bytes[(index + 1)...].prefix(length - 1)
            return rest.count == length - 1 && rest.first.map(second.contains) == true
                && rest.dropFirst().allSatisfy { 0x80...0xBF ~= $0 }
        }
    }
}

/// Windows-1252, and Latin-1, which differs from it in 0x80 to 0x9F.
private enum Windows1252 {
    /// What 0x80 to 0x9F stand for; nil for those that stand for nothing.
    private static let letters: [Unicode.Scalar?] = [
        "€", nil, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nil, "Ž", nil,
        nil, "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nil, "ž", "Ÿ",
    ]

    /// The text in UTF-8; nil if a byte stands for nothing.
    static func utf8(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            switch byte {
            case ..<0x80: text.append(byte)
            case 0x80..<0xA0:
                guard let letter = letters[Int(byte) - 0x80] else { return nil }
                text.append(contentsOf: String(letter).utf8)
            default: text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
            }
        }
        return text[...]
    }

    /// The text in UTF-8, read as Latin-1.
    static func utf8(ofLatin1 bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }[...]
    }
}

extension String {
    /// The text that `bytes` look like, with ASCII's letters in capitals.
    init(capitals bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            self = Charset.text(bytes).uppercased()
            return
        }
        self.init(unsafeUninitializedCapacity: bytes.count) { letters in
            for (index, byte) in bytes.enumerated() { letters[index] = byte.capital }
            return bytes.count
        }
    }
}
