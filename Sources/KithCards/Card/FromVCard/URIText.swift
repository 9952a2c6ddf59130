extension String {
    /// The number that a `tel:` URI says (RFC 3966); nil if the text is none.
    ///
    /// A number of a place has the beginning of its full one in `phone-context`.
    /// Where that is the name of a domain, nobody else knows the full number.
    var telephoneNumber: String? {
        guard let number = afterPrefix("tel:") else { return nil }
        var parts = number.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard let place = parts.dropFirst().firstIndex(where: { $0.hasPrefixIgnoringCase("phone-context=+") }),
            let context = parts[place].afterPrefix("phone-context=")
        else { return number }
        parts.remove(at: place)
        if !parts[0].hasPrefix("+") { parts[0] = "\(context)-\(parts[0])" }
        return parts.joined(separator: ";")
    }

    /// What follows `prefix`, which is in small letters; nil if the text does not begin with it, in whatever case.
    func afterPrefix(_ prefix: String) -> String? {
        guard hasPrefixIgnoringCase(prefix) else { return nil }
        return String(self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...])
    }

    /// Whether the text begins with `prefix`, which is in small letters of ASCII, in whatever case.
    func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        guard utf8.count >= prefix.utf8.count else { return false }
        return zip(utf8, prefix.utf8).allSatisfy { $0 == $1 || 0x41...0x5A ~= $0 && $0 | 0x20 == $1 }
    }

    /// Whether the text has but what a URI may have. It is written as it is then.
    var isURI: Bool { hasScheme && utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\\") && $0 != 0x7F } }

    /// Whether the text begins as a URI does: letters, then a colon (RFC 3986, section 3.1).
    var hasScheme: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), let first = utf8.first else { return false }
        return 0x61...0x7A ~= first | 0x20
            && utf8[..<colon].allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
    }
}
