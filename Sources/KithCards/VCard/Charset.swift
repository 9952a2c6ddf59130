import Foundation
import TextEncodings

/// Decodes the bytes of texts.
enum Charset {
    /// The way to decode a text.
    private enum Reading {
        case utf8, windows1252
        case converted(CharsetConverter)
    }

    /// `bytes` in UTF-8, decoded from the charset `name`, or from the card's charset.
    static func utf8(
        _ bytes: ArraySlice<UInt8>, named name: String?, else charset: CardCharset
    ) -> ArraySlice<UInt8> {
        guard bytes.contains(where: { $0 >= 0x80 }) || name.map(usesEscapes) == true else { return bytes }
        if let name, let reading = reading(named: name) {
            switch reading {
            case .utf8: return bytes
            case .windows1252: return Windows1252.utf8(bytes)
            case .converted(let converter): return converter.utf8(bytes)[...]
            }
        }
        switch charset {
        case .utf8: return bytes
        case .windows1252: return Windows1252.utf8(bytes)
        }
    }

    /// `bytes` as text. Of a long run of combining marks, it has the beginning.
    static func text(_ bytes: some Collection<UInt8>, _ charset: CardCharset) -> String {
        guard charset != .utf8, !bytes.allSatisfy({ $0 < 0x80 }) else {
            return StreamSafeText.clamped(String(decoding: bytes, as: UTF8.self))
        }
        return String(decoding: utf8(ArraySlice(bytes), named: nil, else: charset), as: UTF8.self)
    }

    /// Whether texts of the charset `name` can be decoded.
    static func isKnown(_ name: String) -> Bool { reading(named: name) != nil }

    /// Whether ASCII bytes can mean other characters.
    private static func usesEscapes(_ name: String) -> Bool {
        if isUTF8(name) { return false }
        let name = CharsetName(name).plain
        return ["ISO2022", "CSISO2022", "UTF7"].contains(where: name.hasPrefix)
    }

    /// Whether the name is a usual one of UTF-8, as in nearly all cards. The others need a look at the tables.
    private static func isUTF8(_ name: String) -> Bool { name == "UTF-8" || name == "utf-8" }

    private static func reading(named name: String) -> Reading? {
        if isUTF8(name) { return .utf8 }
        let charset = CharsetName(name)
        if charset.plain.isEmpty { return nil }
        if charset.isUTF8 { return .utf8 }
        if charset.isWindows1252 || asciiNames.contains(charset.plain) { return .windows1252 }
        for name in names(name, charset.plain) {
            if let converter = CharsetConverter(name) { return .converted(converter) }
        }
        return nil
    }

    /// The names by which the system may know the charset that a card calls `name`.
    private static func names(_ name: String, _ plain: String) -> [String] {
        if let other = otherNames[plain] { return [other, name] }
        var names = [name, plain]
        if plain.hasPrefix("ISO8859") { names.insert("ISO-8859-" + plain.dropFirst("ISO8859".count), at: 0) }
        if plain.hasPrefix("WINDOWS") { names.append("CP" + plain.dropFirst("WINDOWS".count)) }
        if plain.hasPrefix("X") { names.append(String(plain.dropFirst())) }
        return names
    }

    // Names as in ``CharsetName/plain``.

    /// ASCII is a subset of Windows-1252, and programs often declare it when they mean Windows-1252.
    private static let asciiNames: Set = ["USASCII", "ASCII"]
    /// Names that systems do not know, and charsets that programs extend with more characters.
    private static let otherNames: [String: String] = {
        var names = [
            "ISO2022JP": "ISO-2022-JP", "EUCJP": "EUC-JP", "XEUCJP": "EUC-JP", "KOI8R": "KOI8-R", "KOI8U": "KOI8-U",
            "ISO88598I": "ISO-8859-8", "ISO88598E": "ISO-8859-8", "BIG5HKSCS": "BIG5-HKSCS", "XBIG5": "BIG5",
            "TIS620": "TIS-620", "MACROMAN": "MACINTOSH", "XMACROMAN": "MACINTOSH",
        ]
        for name in ["SHIFTJIS", "SJIS", "XSJIS", "MSKANJI", "CSSHIFTJIS", "MS932", "CP932", "WINDOWS932"] {
            names[name] = "WINDOWS-31J"
        }
        for name in ["GB2312", "GB231280", "EUCCN", "CSGB2312", "GBK", "XGBK", "CP936", "WINDOWS936"] {
            names[name] = "GB18030"
        }
        for name in ["EUCKR", "CSEUCKR", "KSC5601", "KSC56011987", "UHC", "MS949", "WINDOWS949"] {
            names[name] = "CP949"
        }
        return names
    }()
}

extension String {
    /// The text of `bytes` in a charset, with ASCII letters in capitals.
    init(capitals bytes: UnsafeBufferPointer<UInt8>, _ charset: CardCharset) {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            self = Charset.text(bytes, charset).uppercased()
            return
        }
        self.init(unsafeUninitializedCapacity: bytes.count) { letters in
            for (index, byte) in bytes.enumerated() { letters[index] = byte.capital }
            return bytes.count
        }
    }
}
