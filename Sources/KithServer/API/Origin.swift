import Foundation
import KithModel
import Synchronization

/// The public address of a server: configured, or determined when the server listens.
final class Origin: Sendable {
    private let url: Mutex<String>

    init(_ url: String) { self.url = Mutex(url) }

    /// The address, without a slash at its end.
    var text: String { url.withLock { $0 } }

    /// The path of the address, without a slash at its end: empty unless a proxy serves the server below a path.
    var root: String {
        let path = URLComponents(string: text)?.percentEncodedPath ?? ""
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Whether browsers reach the server with TLS.
    var isSecure: Bool { text.hasPrefix("https:") }

    func set(_ new: String) { url.withLock { $0 = new } }

    /// The link of an invitation with this secret.
    func invitation(_ secret: String) -> String { "\(text)/v1/invitations/\(secret)" }

    /// The whole address of a link with a share code.
    func share(_ link: ShareLink) -> String { link.address(server: text) }

    /// The link with its full address, if it still has its token. The token is the last part of the address.
    func addressed(_ link: ListLink) -> ListLink {
        guard let token = link.token else { return link }
        var link = link
        link.url = url.withLock { "\($0)/v1/\(link.isPublic ? "public" : "links")/\(token)" }
        return link
    }
}
