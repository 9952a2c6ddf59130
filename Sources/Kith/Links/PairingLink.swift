package import Foundation

/// The parts of a link of ``Pairings``: the address of its server, and the token.
///
///     https://kith.example.com/pair#aBc…
///
/// The token is in the fragment, so a browser or a scanner that opens the link does not send it.
package struct PairingLink: Hashable, Sendable {
    /// The address of the server.
    package let base: URL
    /// 256 random bits in Base64url.
    let token: String

    /// Reads a link; nil if the text is not one.
    package init?(_ text: String) {
        let parts = text.trimmingCharacters(in: .whitespacesAndNewlines)
            .split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasSuffix("/pair"), (43...128).contains(parts[1].count),
            parts[1].allSatisfy(\.isBase64URL),
            let base = URL(string: String(parts[0].dropLast("/pair".count))), base.host() != nil,
            ["http", "https"].contains(base.scheme?.lowercased())
        else { return nil }
        (self.base, self.token) = (base, String(parts[1]))
    }
}
