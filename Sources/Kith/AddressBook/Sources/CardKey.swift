import KithModel

/// What tells a card from the others of its source: its uid, else what it says.
///
/// Its place would not do: a card that is put before it would take its name, and be taken for it.
struct CardKey: Hashable, Sendable {
    let text: String

    init(_ vCard: VCard, uid: String?) {
        if let uid, !uid.isEmpty {
            text = "uid:" + uid
        } else {
            text = "card:" + Self.digest(vCard.bytes)
        }
    }

    /// A name for the card's file: the uid where it is one that every system and server takes, else a digest.
    ///
    /// So no uid leads out of a folder, hides a file, or is too long. Each attempt gives another name, where one is taken
    /// by another card.
    func fileName(attempt: Int = 1) -> String {
        let uid = text.dropFirst("uid:".count)
        let isPlain =
            text.hasPrefix("uid:") && uid.utf8.count <= 200 && uid.utf8.allSatisfy(Self.isPlain)
            && !uid.hasPrefix(".") && !uid.hasPrefix("-")
        let name = isPlain ? String(uid) : "card-" + Self.digest(text.utf8)
        return attempt == 1 ? name + ".vcf" : "\(name)-\(attempt).vcf"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "@"):
            true
        default: false
        }
    }

    /// 64 bits of the bytes (FNV-1a), but for the line end behind them.
    private static func digest(_ bytes: some BidirectionalCollection<UInt8>) -> String {
        var end = bytes.endIndex
        while end > bytes.startIndex, case let last = bytes.index(before: end), bytes[last] == 10 || bytes[last] == 13 {
            end = last
        }
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes[..<end] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let text = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// Gives the cards of a file their names, each its own where a key comes again.
struct CardNames {
    private var seen: [CardKey: Int] = [:]

    /// Whether a card with this key has come.
    func contains(_ key: CardKey) -> Bool { seen[key] != nil }

    /// The key for the first card that has it, then `2:` and the key, and so on: no key begins with a digit.
    mutating func name(_ key: CardKey) -> String {
        seen[key, default: 0] += 1
        let count = seen[key] ?? 1
        return count == 1 ? key.text : "\(count):\(key.text)"
    }
}
