/// Whether a server can serve: `GET /ready`.
package struct Readiness: Hashable, Sendable, Codable {
    /// `ready`. A server that cannot serve answers with a ``Problem``.
    package var status: String
    /// The server that answers; nil from older servers.
    package var server: ServerID?

    /// A server that can serve.
    package init(status: String = "ready", server: ServerID?) {
        self.status = status
        self.server = server
    }
}
