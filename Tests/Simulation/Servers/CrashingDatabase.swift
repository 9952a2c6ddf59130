import KithModel
import KithServer

/// A server's database in which a commit can be interrupted by a simulated crash, whatever the driver.
///
/// A crash before a commit undoes the transaction. A crash after it keeps the transaction, and its caller gets no answer.
struct CrashingDatabase: ImmediateDatabase {
    let database: any ImmediateDatabase
    let crash: Shared<Crash.Point>

    var server: ServerID { database.server }
    var hasTurns: Bool { database.hasTurns }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        let value = try await database.write(interrupted(body))
        try crashAfterCommit()
        return value
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func writeNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T {
        let value = try database.writeNow(interrupted(body))
        try crashAfterCommit()
        return value
    }

    func readNow<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) throws -> T {
        try database.readNow(body)
    }

    private func interrupted<T: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws -> T
    ) -> @Sendable (any Transaction) throws -> T {
        { [crash] transaction in
            let value = try body(transaction)
            if crash.now == .beforeCommit { throw Crash() }
            return value
        }
    }

    private func crashAfterCommit() throws {
        if crash.now == .afterCommit { throw Crash() }
    }
}
