import KithServer
import Synchronization

/// A database with a moment before each write, at which others write, or the write fails. The first write is number 1.
final class InterruptedDatabase: DatabaseDouble {
    let database: any Database
    private let moment: @Sendable (Int) throws -> Void
    private let count = Mutex(0)

    init(_ database: any Database, _ moment: @escaping @Sendable (Int) throws -> Void) {
        (self.database, self.moment) = (database, moment)
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try moment(
            count.withLock { count in
                count += 1
                return count
            })
        try await database.write { try work.run(in: $0) }
    }
}
