import KithCards

/// Cards at random, the same for the same seed.
struct CardDice {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    static let lineEnds = ["\r\n", "\n", "\r", "\r\r\n"]

    /// Lines as programs write them, good and bad.
    static let lines = [
        "VERSION:2.1", "VERSION:3.0", "VERSION:4.0", "FN:Ada Lovelace", "N:Lovelace;Ada;Augusta\\, K.;;",
        "TEL;CELL;PREF:+44 20 7946 0000", "item1.TEL;type=HOME;type=pref:1", "item1.X-ABLabel:_$!<Home>!$_",
        "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=91=20=", "=C3=91=20caf=C3=A9", " =C3=91=", "  folded",
        "\tfolded by a tab", "PHOTO;ENCODING=BASE64;JPEG:", " /9j/4AAQSkZJRgABAQEAYABgAAD", "BwcHBwcHBwcH", "",
        "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ", "PHOTO:data:image/jpeg;base64,/9j/4AAQ", "URL:http\\://example.com",
        "ADR;TYPE=\"home,work\";LABEL=\"1 Rue: x;y\":;;1 Rue de l'Été;Paris;;75001;France", "AGENT:", "a line of text",
        "AGENT:BEGIN:VCARD\\nFN:Ben\\nEND:VCARD\\n", "BDAY:--0203", "CATEGORIES:a,b\\,c", "X-A;B=\"c:d",
        "NOTE:stray \u{0}\u{B}\u{7F} signs \\n here", "begin:vcard", "END:VCARD", "BEGIN:VCARD", "END:VCARDBEGIN:VCARD",
        "AGENT:BEGIN:VCARD", " \t ", "NOTE;QUOTED-PRINTABLE:=", "\u{FEFF}BEGIN:VCARD", "LABEL;X=^n^^^':ÄÖÜ 😀 日本",
        "X-FOLDED;TYPE", " =home:value", "TEL;TYPE=work,voice;VALUE=uri:tel:+1-418-656-9254;ext=102", ";:", ":", ".:x",
    ]

    /// A stream of cards, with this and that between them.
    mutating func stream() -> [UInt8] {
        let lineEnd = pick(Self.lineEnds)
        var text = chance(6) ? "\u{FEFF}" : ""
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            text += pick(["BEGIN:VCARD", "BEGIN:vCard ", "begin : vcard", "BEGIN:VCARD"]) + end(lineEnd)
            for _ in 0..<Int.random(in: 0...12, using: &random) { text += pick(Self.lines) + end(lineEnd) }
            text += pick(["END:VCARD", "end:vcard", "END:VCARD\t", "END:VCARD", ""]) + end(lineEnd)
            if chance(4) { text += pick(["", "text\n", "\n\n", "END:VCARD\n", " "]) }
        }
        return encoded(text)
    }

    private mutating func end(_ usual: String) -> String { chance(30) ? pick(Self.lineEnds + [""]) : usual }

    private mutating func encoded(_ text: String) -> [UInt8] {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + (chance(3) ? [13] : [])
        case 1: return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case 2: return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        default: return Array(text.utf8)
        }
    }

    /// One to eight accidents: bytes changed, lost, doubled or put in, an end cut off.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...30, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2: bytes[start..<end].reverse()
            case 3: if start < end { bytes[start] = .random(in: .min ... .max, using: &random) }
            case 4: bytes.insert(contentsOf: pick(Self.lines + Self.lineEnds).utf8, at: start)
            default: if chance(4) { bytes.removeSubrange(start...) }
            }
        }
        return bytes
    }

    /// A text of what is awkward.
    mutating func text() -> String {
        let pieces = [
            "a", "Ada", " ", "\n", "\r\n", "\\", "\\n", ",", ";", ":", "=", "=0D", "\"", "^", "^n", "\t", "\u{0}", "é",
            "日本語",
            "😀", "e\u{301}", "END:VCARD", "\nEND:VCARD\n", "BEGIN:VCARD", "\u{2028}", String(repeating: "x", count: 70),
            String(repeating: "ü", count: 40), "data:", "\u{FEFF}", "\u{85}",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in pick(pieces) }.joined()
    }
}
