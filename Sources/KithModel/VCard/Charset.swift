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
            guard encoding != .utf8, let text = String(data: Data(bytes), encoding: encoding) else { return bytes }
            return ArraySlice(text.utf8)
        }
        if String(validating: bytes, as: UTF8.self) != nil || hasLetterBeyondASCII(bytes) { return bytes }
        // A few bytes mean nothing in Windows-1252; in Latin-1 each means something.
        let text =
            String(data: Data(bytes), encoding: .windowsCP1252) ?? String(data: Data(bytes), encoding: .isoLatin1)
        return text.map { ArraySlice($0.utf8) } ?? bytes
    }

    /// `bytes` as text, read as what they look like.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        guard !bytes.allSatisfy({ $0 < 0x80 }) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: utf8(ArraySlice(bytes), named: nil), as: UTF8.self)
    }

    private static func usesEscapes(_ name: String) -> Bool { name.uppercased().hasPrefix("ISO-2022") }

    private static func encoding(named name: String) -> String.Encoding? {
        encodings[name.uppercased().filter { $0 != "-" && $0 != "_" }]
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
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let length =
                switch bytes[index] {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 1
                }
            let letter = bytes[index...].prefix(length)
            if length > 1, String(validating: letter, as: UTF8.self) != nil { return true }
            index += 1
        }
        return false
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
