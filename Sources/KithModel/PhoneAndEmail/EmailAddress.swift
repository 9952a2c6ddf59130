import Foundation

/// An email address in the canonical form that is used for comparisons.
///
/// - The whole address is in lower case. According to RFC 5321 (section 2.4), case before the `@` may distinguish
///   mailboxes. No provider makes that distinction, and people write the same address in both ways.
/// - The domain is in A-labels (RFC 5890): `bücher.example` is `xn--bcher-kva.example`. It is mapped according to UTS
///   #46; ß and ς are separate letters, as in IDNA 2008.
/// - A dot at the end of the domain is removed, because it does not change the meaning.
/// - Dots and `+tags` before the `@` are kept. Some providers ignore them and others do not, and the addresses of two
///   people must not become equal.
///
/// Whether the domain exists is not checked. A-labels in the input are neither decoded nor checked. Addresses with a
/// quoted local part or with an IP address as the domain are not accepted.
public struct EmailAddress: Hashable, Sendable {
    /// The address: `ada@example.com`.
    public let text: String

    /// Parses an address; nil if it is not valid.
    ///
    /// It may be in angle brackets after a name, `Ada Lovelace <ada@example.com>`, or be a `mailto:` URI (RFC 6068)
    /// with one address. It has at most 64 bytes before the `@`, and 254 in all (RFC 5321, section 4.5.3.1).
    public init?(_ written: String) {
        let bare = Self.bare(written)
        // Composing takes a time that grows with the square of the length. It never makes a text four times as short.
        guard bare.utf8.count <= 4 * Self.longest, let at = bare.utf8.lastIndex(of: UInt8(ascii: "@")),
            let local = Self.local(bare[..<at]),
            let domain = Self.domain(bare[at...].dropFirst()),
            local.utf8.count + 1 + domain.utf8.count <= Self.longest
        else { return nil }
        text = "\(local)@\(domain)"
    }

    /// The maximum number of bytes of an address.
    private static let longest = 254

    /// The address without a name, brackets or scheme around it.
    private static func bare(_ written: String) -> Substring {
        var bare = written[...].trimmingWhitespace
        if bare.utf8.last == UInt8(ascii: ">"), let open = bare.utf8.firstIndex(of: UInt8(ascii: "<")) {
            bare = bare[open...].dropFirst().dropLast().trimmingWhitespace
        }
        if bare.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "m"), bare.prefix(7).lowercased() == "mailto:" {
            let address = String(bare.dropFirst(7).prefix { $0 != "?" })
            bare = (address.removingPercentEncoding ?? address)[...].trimmingWhitespace
        }
        return bare
    }

    private static func local(_ written: Substring) -> String? {
        let isASCII = written.utf8.allSatisfy { $0 < 0x80 }
        let local = (isASCII ? String(written) : written.precomposedStringWithCanonicalMapping).lowercased()
        guard (1...64).contains(local.utf8.count), local.unicodeScalars.allSatisfy(isAllowed) else { return nil }
        return local
    }

    /// Whether the character may be before the `@`: `atext` or a dot (RFC 5322, section 3.2.3), or a non-ASCII letter
    /// (RFC 6532).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", "<", ">", "[", "]", ":", ";", "@", "\\", ",", "\"", "\u{0}"..." ", "\u{7F}": return false
        case _ where scalar.isASCII: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned: return false
        default: return true
        }
    }

    private static func domain(_ written: Substring) -> String? {
        var ascii = String(written)
        if !ascii.utf8.allSatisfy({ $0 < 0x80 }) {
            // Foundation maps by UTS #46 and writes A-labels. It percent-escapes characters that have no A-label, and
            // ``isLabel(_:)`` rejects the escapes.
            var components = URLComponents()
            components.host = ascii
            ascii = components.encodedHost ?? ""
        }
        if ascii.utf8.last == UInt8(ascii: ".") { ascii.removeLast() }
        ascii = ascii.lowercased()
        let labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy(isLabel) ? ascii : nil
    }

    /// Whether the text is a label of a domain: letters, digits and inner hyphens (RFC 1123), and also underscores,
    /// which some domains have.
    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else { return false }
        return label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen || $0 == UInt8(ascii: "_") }
    }
}

extension EmailAddress: Comparable {
    /// Compares the addresses as text.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

extension EmailAddress: TextCodable {
    /// The address: `ada@example.com`.
    public var description: String { text }

    package static var refusal: String { "is no email address" }
}
