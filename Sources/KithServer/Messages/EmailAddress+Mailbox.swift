package import KithModel

extension EmailAddress {
    /// The address as emails and SMTP have it (RFC 5322, section 3.4.1; RFC 5321, section 4.1.2).
    ///
    /// Some providers have addresses such as `.ada..l@example.com`, whose part before the `@` is no `dot-atom`. That part is
    /// quoted. It never has a character that needs a backslash.
    package var mailbox: String {
        let local = text.prefix { $0 != "@" }
        let isDotAtom = local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        return isDotAtom ? text : "\"\(local)\"\(text[local.endIndex...])"
    }
}
