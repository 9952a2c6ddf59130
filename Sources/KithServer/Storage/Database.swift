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
    var hasSeveralWriters: Bool { get }

    /// Runs `work` in a transaction, and returns when that has ended. Then the work has its result.
    ///
    /// If the work throws, all its changes are undone. A database runs it again if it meets another writer, or if a write
    /// fails that shares its commit, so it must have no effects outside of the transaction.
    ///
    /// A database with several writers lets the writes to a feed wait in one line, and runs several of them in one
    /// transaction. If one of them fails, each of them runs again in a transaction of its own.
    ///
    /// After a write, the database lets the work read on a snapshot that sees the changes (``TransactionWork/follow(in:)``).
    /// ``SQLiteDatabase`` does so on the connection that has written, while other writes wait. A database that is not in this
    /// process receives the commit and the first queries together; the read runs once more if there are further queries. It
    /// may also run for a write that is then not committed.
    ///
    /// - Throws: What the work throws, or a ``ServerError`` with the code `busy` if the database is unavailable, locked
    ///   or full.
    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws

    /// Returns when everything that ``check(_:)`` may have seen until now is durable.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the disk has failed.
    func waitUntilDurable() async throws
}

// These functions are inlined, so that the compiler knows the types of the results: see ``TransactionClosure``.
extension Database {
    /// Runs `body` in a transaction, and returns when its changes are durable. It locks only what `turn` says; any rows if
    /// that is nil.
    ///
    /// - Throws: What ``perform(_:as:)`` throws.
    @inline(__always)
    public func write<T: Sendable>(
        inTurn turn: FeedTurn? = nil, _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        try await result(of: body, as: .write(inTurn: turn))
    }

    /// Runs `body` as ``write(inTurn:_:)`` does, then `read` on a snapshot that sees the changes.
    ///
    /// `read` takes microseconds, as with ``peek(_:)``. If it fails on the connection that has written, or does not run there,
    /// it runs again as with ``peek(_:)``. Only its last result counts.
    ///
    /// - Throws: What ``perform(_:as:)`` throws.
    /// - Returns: What `body` has returned, and what `read` has returned or thrown.
    @inline(__always)
    public func write<T: Sendable, Value: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T,
        thenRead read: @escaping @Sendable (T, any Transaction) throws -> Value
    ) async throws -> (written: T, read: Result<Value, any Error>) {
        let (written, value) = try await TransactionClosure.results(of: body, thenRead: read) { work in
            try await perform(work, as: .write(inTurn: turn))
        }
        if let value { return (written, .success(value)) }
        do {
            return (written, .success(try await peek { try read(written, $0) }))
        } catch {
            return (written, .failure(error))
        }
    }

    /// Runs `body` on a snapshot: it sees everything that was committed when it began, and nothing later.
    ///
    /// - Throws: What ``perform(_:as:)`` throws.
    @inline(__always)
    public func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await result(of: body, as: .read)
    }

    /// ``read(_:)`` for a few queries that take microseconds: see ``TransactionMode/peek``.
    @inline(__always)
    public func peek<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await result(of: body, as: .peek)
    }

    /// ``peek(_:)`` with one query, which may see a commit that is not yet durable: see ``TransactionMode/check``.
    @inline(__always)
    public func check<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await result(of: body, as: .check)
    }

    /// Does nothing, because every transaction sees what is durable.
    public func waitUntilDurable() async throws {}

    @inline(__always)
    private func result<T: Sendable>(
        of body: @escaping @Sendable (any Transaction) throws -> T, as mode: TransactionMode
    ) async throws -> T {
        try await TransactionClosure.result(of: body) { try await perform($0, as: mode) }
    }
}
