extension String {
    /// The number in a `tel:` URI (RFC 3966); nil if the text is no such URI.
    ///
    /// A local number gets the international prefix from `phone-context`. If the context is a domain name, the number
    /// and its context stay unchanged.
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

    /// The text after `prefix`, which is in small letters; nil if the text does not begin with it, regardless of case.
    func afterPrefix(_ prefix: String) -> String? {
        guard hasPrefixIgnoringCase(prefix) else { return nil }
        return String(self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...])
    }

    /// Whether the text begins with `prefix`, which is in small ASCII letters, regardless of case.
    func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        guard utf8.count >= prefix.utf8.count else { return false }
        return zip(utf8, prefix.utf8).allSatisfy { $0 == $1 || 0x41...0x5A ~= $0 && $0 | 0x20 == $1 }
    }

    /// Whether the text is a URI that can be written without escapes.
    var isURI: Bool { hasScheme && utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\\") && $0 != 0x7F } }

    /// Whether the text begins with a URI scheme and a colon (RFC 3986, section 3.1).
    var hasScheme: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), let first = utf8.first else { return false }
        return 0x61...0x7A ~= first | 0x20
            && utf8[..<colon].allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
    }
}
