import Foundation

/// A link and its addresses, for its page.
package struct PageLink: Hashable, Sendable {
    /// What a link is for. The raw value is the part of the path before the token.
    package enum Kind: String, Sendable {
        /// An invitation to a list, for anyone with the link.
        case list = "links"
        /// An invitation to one person.
        case invitation = "invitations"
    }

    package let kind: Kind
    /// The link's token.
    package let token: String
    /// The public address of the server.
    package let origin: String

    package init(_ kind: Kind, token: String, origin: String) {
        (self.kind, self.token, self.origin) = (kind, token, origin)
    }

    /// The link itself.
    package var address: String { "\(origin)/v1/\(kind.rawValue)/\(token)" }

    /// The same token as a public link.
    package var publicAddress: String { "\(origin)/v1/public/\(token)" }

    /// The link that opens an address of this server in the app: with `kith:` instead of `https:`. For a server without
    /// TLS, it has a parameter.
    package static func opening(_ address: String) -> String {
        let rest = address.drop { $0 != ":" }
        guard address.hasPrefix("http:") else { return "kith\(rest)" }
        return "kith\(rest)\(rest.contains("?") ? "&" : "?")scheme=http"
    }
}
