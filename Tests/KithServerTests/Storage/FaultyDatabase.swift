import KithModel
import KithServer
import Synchronization

/// A database that is busy for some statements, as long as a test wants it.
final class FaultyDatabase: DatabaseDouble {
    let database: any Database
    private let fault = Mutex<String?>(nil)

    init(_ database: any Database) { self.database = database }

    /// Refuses the statements that begin with this text; none if it is nil.
    func refuse(_ start: String?) { fault.withLock { $0 = start } }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try await database.write { try work.run(in: WatchedTransaction(base: $0, before: self.check)) }
    }

    func performRead(_ work: any TransactionWork) async throws {
        try await database.read { try work.run(in: WatchedTransaction(base: $0, before: self.check)) }
    }

    private func check(_ sql: String, _ values: [SQLValue]) throws {
        guard let start = fault.withLock({ $0 }), sql.hasPrefix(start) else { return }
        throw ServerError(.busy, "The database is busy. Try again later.", retryAfter: .seconds(1))
    }
}
