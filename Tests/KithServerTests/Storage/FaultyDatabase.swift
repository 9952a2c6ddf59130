import KithModel
import KithServer
import Synchronization

/// A database that fails for some statements, as long as a test wants it.
final class FaultyDatabase: DatabaseDouble {
    let database: any Database
    private let failure: any Error
    private let fault = Mutex<String?>(nil)

    /// It fails with `failure`; with the code `busy` if that is nil.
    init(_ database: any Database, failure: (any Error)? = nil) {
        self.database = database
        self.failure =
            failure ?? ServerError(.busy, "The database is busy. Try again later.", retryAfter: .seconds(1))
    }

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
        throw failure
    }
}
