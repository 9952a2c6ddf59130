import KithModel
import Synchronization

/// Where people reach a server: given, or found out when it listens.
final class Origin: Sendable {
    private let url: Mutex<String>

    init(_ url: String) { self.url = Mutex(url) }

    func set(_ new: String) { url.withLock { $0 = new } }

    /// A link with the whole of its address, if it still has its token. The token is the address's last part.
    func addressed(_ link: ListLink) -> ListLink {
        guard let token = link.token else { return link }
        var link = link
        link.url = url.withLock { "\($0)/v1/\(link.isPublic ? "public" : "links")/\(token)" }
        return link
    }
}
