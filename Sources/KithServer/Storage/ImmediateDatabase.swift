/// A database that can also run transactions on the caller's thread, for the simulation and for tests.
package protocol ImmediateDatabase: Database {
    /// ``Database/write(_:)`` on the caller's thread, which waits for the commit.
    func writeNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T

    /// ``Database/read(_:)`` on the caller's thread.
    func readNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T
}
