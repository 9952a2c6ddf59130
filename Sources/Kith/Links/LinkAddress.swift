package import Foundation

/// The parts of a link: its secret and, if it is a complete link, its server.
package struct LinkAddress: Hashable, Sendable {
    /// The address of the link's server; nil if the text is only the secret.
    package let base: URL?
    /// The last non-empty part of the link's path. Characters other than ASCII letters, digits, `-` and `_` are
    /// dropped, because they could have a meaning in a path.
    let secret: String

    /// Creates an address from its parts.
    init(base: URL?, secret: String) { (self.base, self.secret) = (base, secret) }

    /// - Parameter link: The complete link in any form that ``KithLink`` reads, or the secret at its end.
    package init(_ link: String) {
        let link = KithLink.webText(link)
        let path = link.split(whereSeparator: { "?#".contains($0) }).first ?? ""
        let last = path.split(separator: "/").last ?? ""
        secret = String(last.filter(\.isBase64URL))
        let start = path.range(of: "/v1/", options: .backwards)?.lowerBound
        base = start.flatMap { URL(string: String(path[..<$0])) }.flatMap {
            ["http", "https"].contains($0.scheme?.lowercased()) && $0.host() != nil ? $0 : nil
        }
    }
}

extension Character {
    /// Whether the character is in the alphabet of Base64url, in which the secrets of links are written.
    var isBase64URL: Bool { isASCII && (isLetter || isNumber || self == "-" || self == "_") }
}
