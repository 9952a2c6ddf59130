public import Foundation
import KithModel

/// A link of a Kith server, as it is opened from a web page, a message or a QR code.
///
/// A link has two forms with the same meaning. `https://kith.example.com/v1/links/TOKEN` opens a web page, or the app if
/// the system knows that the app belongs to the server. `kith://kith.example.com/v1/links/TOKEN` always opens the app. The
/// button of the web page has this form. For a development server without TLS, it is
/// `kith://127.0.0.1:8480/v1/links/TOKEN?scheme=http`.
///
/// The system passes the URL to the app. The app passes it to ``init(_:)``, and then ``text`` to the functions that take a
/// link, such as ``Lists/preview(link:)``, ``Lists/accept(link:)`` and ``Sharing/use(code:)``.
public struct KithLink: Hashable, Sendable {
    /// What a link is for.
    public enum Kind: Hashable, Sendable {
        /// An invitation to a list: ``Lists/accept(link:)``.
        case list
        /// An invitation to one person: ``Invitations/accept(link:)``.
        case invitation
        /// A list that anyone with the link can read: ``Lists/publicList(link:)``.
        case publicList
        /// A QR code of another device, to sign in to its account: ``Pairings/use(link:device:)``.
        case pairing
        /// A link with the code of somebody who shares, `https://kith.example.com/s/ADA-TEA`: ``Sharing/use(code:)``.
        case share
    }

    /// What the link is for.
    public let kind: Kind
    /// The address of the link's server.
    public let server: URL
    /// The link as a web address.
    public let text: String

    /// The scheme of links that open the app.
    static let scheme = "kith"

    /// The kinds, by the component of the path before the token.
    private static let kinds: [String: Kind] = ["links": .list, "invitations": .invitation, "public": .publicList]

    /// Reads a link in either form.
    ///
    /// - Returns: nil if the URL is not a link of a Kith server, for example if it is a URL of the app itself.
    public init?(_ url: URL) {
        let text = Self.webText(url.absoluteString)
        let path = text.prefix { !"?#".contains($0) }
        if let fragment = url.fragment, let pairing = PairingLink("\(path)#\(fragment)") {
            (kind, server, self.text) = (.pairing, pairing.base, "\(path)#\(fragment)")
            return
        }
        if let share = ShareLink(url.absoluteString), let server = Self.server(ofShareLink: path) {
            (kind, self.server) = (.share, server)
            self.text = share.address(server: server.absoluteString)
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 6, parts[parts.count - 3] == "v1", let token = parts.last,
            let kind = Self.kinds[String(parts[parts.count - 2])],
            (1...128).contains(token.utf8.count),
            token.allSatisfy(\.isBase64URL),
            let server = LinkAddress(text).base
        else { return nil }
        (self.kind, self.server, self.text) = (kind, server, String(path))
    }

    /// The server of a link with a share code that was typed or scanned; nil if the text has none, such as a code alone.
    ///
    /// A link without `https://` has the scheme of `own`, the address of the client's server.
    static func server(ofShare typed: String, like own: String) -> URL? {
        let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard ShareLink(text) != nil else { return nil }
        let scheme = own.hasPrefix("http:") ? "http" : "https"
        let whole = text.contains("://") ? webText(text) : "\(scheme)://\(text)"
        return server(ofShareLink: whole.prefix { !"?#".contains($0) })
    }

    /// What is before `/s/CODE`; nil if it is not the address of a server.
    private static func server(ofShareLink path: Substring) -> URL? {
        guard let end = path.range(of: "/s/", options: .backwards)?.lowerBound,
            let url = URL(string: String(path[..<end])), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }

    /// The link as a web address if it begins with `kith:`; otherwise the unchanged text.
    static func webText(_ link: String) -> String {
        guard link.prefix(scheme.count + 3).lowercased() == scheme + "://" else { return link }
        let (rest, query) = (
            link.dropFirst(scheme.count + 3).prefix { !"?#".contains($0) }, URLComponents(string: link)
        )
        let isPlain = query?.queryItems?.contains { $0.name == "scheme" && $0.value == "http" } ?? false
        return "\(isPlain ? "http" : "https")://\(rest)"
    }
}
