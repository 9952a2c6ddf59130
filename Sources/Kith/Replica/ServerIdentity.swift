package import Foundation
package import KithModel

/// Identifies a server by the id of its database and by the address at which it was last reached.
package struct ServerIdentity: Hashable, Sendable {
    /// The id; nil if it is not known, or if the server's version has no ids.
    package var id: ServerID?
    /// The address without user, query and trailing slash; nil if it is not known.
    package var address: String?

    package init(id: ServerID? = nil, address: String? = nil) {
        self.id = id
        self.address = address
    }

    /// A server without a known id or address.
    package static let unknown = ServerIdentity()

    /// The result of comparing two servers.
    package enum Verdict: Hashable, Sendable {
        case same
        case other
        /// The first server is not known.
        case unknown
    }

    /// Compares this server with the one that answers: by id if both ids are known, otherwise by address.
    package func verdict(on answering: ServerIdentity) -> Verdict {
        if self == .unknown { return .unknown }
        if let id, let other = answering.id { return other == id ? .same : .other }
        return answering.address == address ? .same : .other
    }

    /// Normalizes an address, so that addresses can be compared.
    package static func address(of url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        if parts.port == (parts.scheme == "https" ? 443 : 80) { parts.port = nil }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        return parts.string ?? url.absoluteString
    }
}

extension ServerIdentity: CustomStringConvertible {
    /// A description for messages to people.
    package var description: String {
        switch (address, id) {
        case (let address?, let id?): "\(address) (server \(id))"
        case (let address?, nil): address
        case (nil, let id?): "server \(id)"
        case (nil, nil): "a server that is not known"
        }
    }
}
