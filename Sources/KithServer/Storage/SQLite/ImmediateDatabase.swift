/// A database that can also run transactions on the caller's thread, for the simulation and for tests.
package protocol ImmediateDatabase: Database {
    /// ``Database/perform(_:as:)`` on the caller's thread, which waits for the commit of a write. What it reads may not be
    /// durable yet.
    func performNow(_ work: any TransactionWork, as mode: TransactionMode) throws
}

extension ImmediateDatabase {
    /// ``Database/write(inTurn:_:)`` on the caller's thread, which waits for the commit.
    package func writeNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T {
        try resultNow(of: body, as: .write(inTurn: nil))
    }

    /// ``Database/read(_:)`` on the caller's thread.
    package func readNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T {
        try resultNow(of: body, as: .read)
    }

    private func resultNow<T: Sendable>(
        of body: @escaping @Sendable (any Transaction) throws -> T, as mode: TransactionMode
    ) throws -> T {
        try TransactionClosure.resultNow(of: body) { try performNow($0, as: mode) }
    }
}
