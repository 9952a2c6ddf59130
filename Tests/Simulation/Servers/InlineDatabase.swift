import KithModel
import KithServer

/// A database whose asynchronous transactions run on the caller's thread, too.
///
/// A world does one thing at a time, so another thread would gain nothing, and a change of threads takes as long as a
/// transaction. Shared commits and the reads after them do not happen in a world: `SQLiteDatabaseTests` has them.
struct InlineDatabase: ImmediateDatabase {
    let database: any ImmediateDatabase

    var server: ServerID { database.server }
    var hasTurns: Bool { false }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try database.writeNow(body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try database.readNow(body)
    }

    func writeNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T {
        try database.writeNow(body)
    }

    func readNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T {
        try database.readNow(body)
    }
}
