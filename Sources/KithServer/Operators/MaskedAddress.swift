/// The address of a recipient, shortened so that the operator recognises it, but a page reveals little of it.
enum MaskedAddress {
    /// `a…@example.com`, or `+43…67`. A dash if the address was deleted.
    static func text(_ recipient: String) -> String {
        if recipient.isEmpty { return "–" }
        guard let at = recipient.lastIndex(of: "@") else { return "\(recipient.prefix(3))…\(recipient.suffix(2))" }
        return "\(recipient.prefix(1))…\(recipient[at...])"
    }
}
