import Foundation

/// The addresses of one link, for its page.
package struct PageLink: Hashable, Sendable {
    /// The link's token.
    package let token: String
    /// The public address of the server.
    package let origin: String

    package init(token: String, origin: String) { (self.token, self.origin) = (token, origin) }

    /// The link itself.
    package var address: String { "\(origin)/v1/links/\(token)" }

    /// The same token as a public link.
    package var publicAddress: String { "\(origin)/v1/public/\(token)" }

    /// An address of this server as a link that opens the app: with `kith:` in the place of `https:`. A server without TLS
    /// is marked.
    package static func opening(_ address: String) -> String {
        let rest = address.drop { $0 != ":" }
        return "kith\(rest)" + (address.hasPrefix("http:") ? "?scheme=http" : "")
    }
}
