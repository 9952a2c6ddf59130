/// The answer of a server that is ready: `GET /ready`.
package struct Readiness: Hashable, Sendable, Codable {
    /// Always `ready`. A server that is not ready answers with a ``Problem``.
    package var status: String
    /// The server that answers; nil from older servers.
    package var server: ServerID?
    /// The kind of the server's database, `SQLite` or `PostgreSQL`; nil from older servers.
    package var database: String?

    /// Creates the answer of a server that is ready.
    package init(status: String = "ready", server: ServerID?, database: String? = nil) {
        self.status = status
        self.server = server
        self.database = database
    }
}
