public import KithModel

/// The database of the server: ``SQLiteDatabase`` or ``PostgresDatabase``.
///
/// Every decision of the server runs in a synchronous closure over a ``Transaction``, so that the data that was read is
/// still current when the result is written.
public protocol Database: Sendable {
    /// The server's id. It is created when the database is first opened, and stored in it.
    ///
    /// A copy of the database has the same id, so that devices recognise a moved or restored server.
    var server: ServerID { get }

    /// Whether the database has several writers. If not, it ignores the turn of a write.
    var hasTurns: Bool { get }

    /// Runs `body` in its own transaction, and returns when its changes are durable.
    ///
    /// If `body` throws, all its changes are undone. A database runs `body` again if it meets another writer, or if a
    /// write fails that shares its commit, so `body` must have no effects outside of the transaction.
    ///
    /// - Throws: What `body` throws, or a ``ServerError`` with the code `busy` if the database is unavailable, locked
    ///   or full.
    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// ``write(_:)`` for a body that locks only what `turn` says; any rows if it is nil.
    ///
    /// A database with several writers lets the writes to a feed wait in one line, and runs several of them in one
    /// transaction. If one of them fails, each of them runs again in a transaction of its own.
    func write<T: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T

    /// Runs `body` as ``write(inTurn:_:)`` does, then `read` on a snapshot that sees the changes.
    ///
    /// `read` takes microseconds, as with ``peek(_:)``: ``SQLiteDatabase`` runs it on the connection that has written, and
    /// other writes wait for it. If it fails there, it runs again on another connection. A database that is not in this
    /// process receives the commit and the first queries together; `read` runs once more if there are further queries.
    /// It may also run for a write that is then not committed. Only its last result counts.
    ///
    /// - Throws: What ``write(inTurn:_:)`` throws.
    /// - Returns: What `body` has returned, and what `read` has returned or thrown.
    func write<T: Sendable, Value: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T,
        thenRead read: @escaping @Sendable (T, any Transaction) throws -> Value
    ) async throws -> (written: T, read: Result<Value, any Error>)

    /// Runs `body` on a snapshot: it sees everything that was committed when it began, and nothing later.
    ///
    /// - Throws: What `body` throws, or a ``ServerError`` with the code `busy`.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// ``read(_:)`` for a few queries that take microseconds. A database in this process runs them on the caller's thread,
    /// because a change of threads would take longer than the queries.
    func peek<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// ``peek(_:)`` that may see a commit which is not yet durable. Before anybody learns what it returns, another transaction
    /// or ``waitUntilDurable()`` must succeed. All other transactions end when what they have seen is durable.
    func check<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// Returns when everything that ``check(_:)`` may have seen until now is durable.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the disk has failed.
    func waitUntilDurable() async throws
}

extension Database {
    /// Writes as ``write(_:)`` does.
    public func write<T: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        try await write(body)
    }

    /// Writes as ``write(inTurn:_:)`` does, then reads as ``peek(_:)`` does.
    public func write<T: Sendable, Value: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T,
        thenRead read: @escaping @Sendable (T, any Transaction) throws -> Value
    ) async throws -> (written: T, read: Result<Value, any Error>) {
        let written = try await write(inTurn: turn, body)
        return (written, await reading { try read(written, $0) })
    }

    /// What ``peek(_:)`` returns or throws.
    func reading<T: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async -> Result<T, any Error> {
        do {
            return .success(try await peek(body))
        } catch {
            return .failure(error)
        }
    }

    /// Reads as ``read(_:)`` does.
    public func peek<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await read(body)
    }

    /// Reads as ``peek(_:)`` does.
    public func check<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await peek(body)
    }

    /// Does nothing, because ``check(_:)`` sees what is durable.
    public func waitUntilDurable() async throws {}
}
