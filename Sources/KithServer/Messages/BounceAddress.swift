package import Foundation
import KithModel

/// The sender of emails on their envelope: a different one for each message, so that a bounce names its message (VERP,
/// variable envelope return path).
///
///     bounces+b4cq2…@example.org
///             └ the message's id and its signature: MessageSecret.bounceToken(of:)
package struct BounceAddress: Hashable, Sendable {
    /// The most bytes before the @ of an address (RFC 5321, section 4.5.3.1.1), without the plus and a token.
    static let longestName = 64 - 1 - tokenLength
    /// The characters of a token.
    private static let tokenLength = (MessageSecret.bounceTokenSize * 8 + 4) / 5

    private let name: String
    private let domain: String

    /// Reads an address such as `bounces@example.org`; nil if it is not valid, not in ASCII, too long for a token, would have
    /// to be quoted, or has a plus.
    package init?(_ written: String) {
        guard let address = EmailAddress(written), address.text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        // A mail server for bounces need not know quoted addresses.
        guard address.mailbox == address.text else { return nil }
        let parts = address.text.split(separator: "@").map(String.init)
        guard parts.count == 2, parts[0].utf8.count <= Self.longestName, !parts[0].contains("+") else { return nil }
        (name, domain) = (parts[0], parts[1])
    }

    /// The sender of the message with this token.
    package func sender(_ token: Data) -> String { "\(name)+\(Self.text(token))@\(domain)" }

    /// What may be tokens in these texts, such as the header fields of a bounce. Their signatures are not checked.
    package static func tokens(in texts: [String]) -> [Data] {
        texts.flatMap { text in
            text.lowercased().matches(of: /\+([a-z2-7]+)@/).compactMap { token(String($0.output.1)) }
        }
    }

    // MARK: - Base32

    // RFC 4648, section 6, in lower case and without padding: relays may change the case of an address.
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    private static func text(_ token: Data) -> String {
        var (text, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in token {
            (buffer, bits) = (buffer << 8 | UInt32(byte), bits + 8)
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= 0xFF
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func token(_ text: String) -> Data? {
        guard text.utf8.count == tokenLength else { return nil }
        var (token, buffer, bits): (Data, UInt32, Int) = (Data(), 0, 0)
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            (buffer, bits) = (buffer << 5 | UInt32(value), bits + 5)
            if bits >= 8 {
                bits -= 8
                token.append(UInt8(buffer >> UInt32(bits) & 0xFF))
            }
            buffer &= 0xFF
        }
        return token
    }
}
