import Foundation
import KithModel

/// The server of a link. Before a link's secret is sent, it finds out whether the link leads to the client's server.
struct LinkServer: Sendable {
    private let server: CheckedServer
    /// Creates a transport to another server, to ask which server a link belongs to; nil if that is not possible.
    private let elsewhere: (@Sendable (URL) -> any Transport)?

    init(_ server: CheckedServer, elsewhere: (@Sendable (URL) -> any Transport)?) {
        self.server = server
        self.elsewhere = elsewhere
    }

    /// Checks that a link leads to the server of this client.
    ///
    /// A server can have several addresses, so the server at the link's own address is asked for its id. If it returns
    /// none, the client's server is asked about the link.
    ///
    /// - Throws: ``KithError`` with `otherServer`. In that case the link's secret was not sent to any server.
    func check(_ link: LinkAddress) async throws {
        guard let base = link.base, let own = server.connection?.address, let elsewhere else { return }
        let address = ServerIdentity.address(of: base)
        guard address != own else { return }
        let there = try? await ServerConnection(transport: elsewhere(base), address: address).identify()
        guard let there, there.id != nil else { return }
        let here = try await server.currentIdentity()
        if here.id != there.id { throw KithError.otherServer(link: there, here) }
    }

    /// Checks that a link with a share code leads to the server of this client. A code alone is not checked.
    ///
    /// The same code can belong to somebody else on another server, so the server at the link's own address is asked for its
    /// id: the operator's pages may have another address than the client's connection. While the client's server does not
    /// answer, nothing can be compared, and the link is accepted.
    ///
    /// - Throws: ``KithError`` with `otherServer` if it leads elsewhere, or if that cannot be found out.
    func check(shareLink typed: String) async throws {
        guard let own = server.connection?.address, let elsewhere,
            let base = KithLink.server(ofShare: typed, like: own)
        else { return }
        let address = ServerIdentity.address(of: base)
        guard address != own, let here = try? await server.currentIdentity(), here.id != nil else { return }
        let there = try? await ServerConnection(transport: elsewhere(base), address: address).identify()
        if let there, there.id == here.id { return }
        if let there, there.id != nil { throw KithError.otherServer(link: there, here) }
        throw KithError(
            .otherServer,
            """
            The link leads to \(address), and nothing there says that this is the same server as \(here). If the code is \
            one of this server, use the code alone.
            """)
    }

    /// Sends a request about a checked link. If the server does not know the link and the link has a different address,
    /// the link belongs to another server.
    func send<T: Sendable>(
        about link: LinkAddress, _ body: (ServerConnection, String) async throws -> T
    ) async throws -> T {
        do {
            return try await server.send { try await body($0, link.secret) }
        } catch let error as KithError where error.isUnknownLink {
            guard let base = link.base, let own = server.connection?.address else { throw error }
            let address = ServerIdentity.address(of: base)
            guard address != own else { throw error }
            throw KithError.otherServer(link: ServerIdentity(address: address), ServerIdentity(address: own))
        }
    }
}

extension KithError {
    fileprivate static func otherServer(link: ServerIdentity, _ here: ServerIdentity) -> KithError {
        KithError(
            .otherServer,
            "The link belongs to \(link), and this client speaks with \(here). Open it with that server's address.")
    }
}
