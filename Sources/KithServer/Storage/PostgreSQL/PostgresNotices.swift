import CPostgreSQL

/// The warnings of one connection.
final class PostgresNotices {
    /// PostgreSQL's words if it has ended the wait for a replica: the commit exists only on this server.
    private(set) var unreplicated: String?

    /// Forgets the warnings.
    func clear() { unreplicated = nil }

    /// Has the warnings of a connection come here; libpq would print them. `self` must live as long as the connection.
    func receive(from connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { notices, result in
                guard let notices, let result else { return }
                Unmanaged<PostgresNotices>.fromOpaque(notices).takeUnretainedValue().take(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The warning has a general SQLSTATE, and its text depends on the server's language. The name of the function does not.
    private func take(_ result: OpaquePointer) {
        let words = PostgresField.message.text(in: result) ?? ""
        if PostgresField.function.text(in: result) == "SyncRepWaitForLSN"
            || words.contains("synchronous replication")
        {
            unreplicated = words
        }
    }
}
