import KithCards

extension LinkMarks {
    /// A card with more numbers and emails than this is read.
    private static let mostTraces = 32

    /// The last digits of the numbers, the letters before the `@` of the emails: cheap to tell, and equal where these are.
    /// Nil if any is written so that only reading it can tell.
    static func traces(_ card: Card) -> [Int]? {
        guard card.phones.count + card.emails.count <= mostTraces else { return nil }
        var traces: [Int] = []
        for phone in card.phones {
            guard let trace = trace(ofNumber: phone.number) else { return nil }
            if !traces.contains(trace) { traces.append(trace) }
        }
        for email in card.emails {
            guard let trace = trace(ofEmail: email.address) else { return nil }
            if !traces.contains(trace) { traces.append(trace) }
        }
        return traces
    }

    /// The last four digits. Whatever is put before a number or taken from there, they stay. An extension is none of them:
    /// it is written with other characters.
    private static func trace(ofNumber text: String) -> Int? {
        var last = 0
        for byte in text.utf8.dropFirst(text.hasPrefix("tel:") ? 4 : 0) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): last = (last * 10 + Int(byte & 0xF)) % 10_000
            case UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"),
                UInt8(ascii: "-")...UInt8(ascii: "/"):
                break
            default: return nil
            }
        }
        return last
    }

    /// A number for the small letters before the `@`.
    private static func trace(ofEmail text: String) -> Int? {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        var trace = 1
        for byte in text.utf8[..<at] {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-")...UInt8(ascii: "."):
                trace = trace &* 31 &+ Int(byte | 0x20)
            case UInt8(ascii: "+"), UInt8(ascii: "_"): trace = trace &* 31 &+ Int(byte)
            default: return nil
            }
        }
        // Behind those of numbers.
        return trace | 1 << 32
    }
}
