import KithModel

/// What two addresses of one mailbox have in common, to recognise somebody who refers himself or is counted twice.
///
/// Many providers deliver `ada+tea@example.com` to `ada@example.com`, and Gmail ignores dots before the `@`. Others do
/// not, so this form only raises a doubt about a reward. It never decides whose account an address is.
struct FoldedMailbox: Hashable {
    let text: String

    init(_ address: EmailAddress) {
        let parts = address.text.split(separator: "@", maxSplits: 1)
        var local = parts[0].prefix { $0 != "+" }.filter { $0 != "." }
        if local.isEmpty { local = String(parts[0]) }
        text = "\(local)@\(Self.domains[String(parts[1])] ?? String(parts[1]))"
    }

    /// Domains that deliver to the mailboxes of another domain.
    private static let domains = ["googlemail.com": "gmail.com"]
}
