/// The answer of a server that is ready: `GET /ready`.
package struct Readiness: Hashable, Sendable, Codable {
    /// Always `ready`. A server that is not ready answers with a ``Problem``.
    package var status: String
    /// The server that answers; nil from older servers.
    package var server: ServerID?

    /// Creates the answer of a server that is ready.
    package init(status: String = "ready", server: ServerID?) {
        self.status = status
        self.server = server
    }
}
