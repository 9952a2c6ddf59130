import Kith
import KithCards
import KithModel

/// The key of a card within its source: its uid, else its content.
///
/// The position cannot be the key, because it changes when a card is inserted before it.
enum CardKey: Hashable, Sendable {
    /// The bytes of the uid. Different bytes are different keys, even if they look the same.
    case uid([UInt8])
    /// The content of a card without a uid, except for line breaks at its end.
    case digest(SHA256)

    init(_ vCard: VCard, uid: String?) {
        if let uid, !uid.isEmpty {
            self = .uid(Array(uid.utf8))
        } else {
            self = .digest(SHA256(vCard.bytes.withoutLineEnds))
        }
    }

    /// The key in references. It begins with a letter.
    var text: String {
        switch self {
        case .uid(let uid): "uid:" + String(decoding: uid, as: UTF8.self)
        case .digest(let digest): "card:" + digest.shortHex
        }
    }

    /// A name for the card's file: the uid if every system and server accepts it as a file name, else a digest.
    ///
    /// A uid therefore cannot lead out of a folder, hide a file, or be too long. Each attempt returns a different name,
    /// for when another card has taken the earlier ones.
    func fileName(attempt: Int = 1) -> String {
        let name =
            switch self {
            case .uid(let uid) where Self.isPlain(uid): String(decoding: uid, as: UTF8.self)
            case .uid(let uid): "card-" + SHA256(uid[...]).shortHex
            case .digest(let digest): "card-" + digest.shortHex
            }
        return attempt == 1 ? name + ".vcf" : "\(name)-\(attempt).vcf"
    }

    /// An identifier that is the same for the same card on every device: a UUID of version 8 (RFC 9562, section 5.8).
    static func uuid(of vCard: VCard) -> String {
        var digits = Array(SHA256(vCard.bytes.withoutLineEnds).shortHex)
        (digits[12], digits[16]) = ("8", "8")
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }

    private static func isPlain(_ uid: [UInt8]) -> Bool {
        uid.count <= 200 && uid.allSatisfy(isPlain) && uid.first != UInt8(ascii: ".") && uid.first != UInt8(ascii: "-")
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "-_.@".utf8.contains(byte) }
}

extension [UInt8] {
    /// Everything except the line ends at the end.
    var withoutLineEnds: ArraySlice<UInt8> {
        self[..<(lastIndex { $0 != 10 && $0 != 13 }.map { $0 + 1 } ?? 0)]
    }
}
