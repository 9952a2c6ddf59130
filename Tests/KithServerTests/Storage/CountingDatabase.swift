import KithServer
import Processes
import Synchronization

/// A database that counts the statements that reach it, and the rows that they return.
final class CountingDatabase: DatabaseDouble, ImmediateDatabase {
    /// A statement with its parameters.
    struct Call: Hashable {
        let sql: String
        let values: [SQLValue]
    }

    let database: any Database
    private let tally = Mutex<[Call]>([])
    private let rowTally = Mutex(0)

    init(_ database: any Database) { self.database = database }

    var statements: [String] { calls.map(\.sql) }

    var calls: [Call] { tally.withLock { $0 } }

    /// The number of rows that the queries have returned.
    var rows: Int { rowTally.withLock(\.self) }

    func reset() {
        tally.withLock { $0 = [] }
        rowTally.withLock { $0 = 0 }
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try await database.write { try work.run(in: self.counting($0)) }
    }

    func performRead(_ work: any TransactionWork) async throws {
        try await database.read { try work.run(in: self.counting($0)) }
    }

    func performNow(_ work: any TransactionWork, as mode: TransactionMode) throws {
        guard let immediate = database as? any ImmediateDatabase else {
            throw InVain("The database that is counted runs nothing on the caller's thread.")
        }
        try immediate.performNow(CountedWork(work: work, database: self), as: mode)
    }

    /// Work whose statements are counted.
    private struct CountedWork: TransactionWork {
        let work: any TransactionWork
        let database: CountingDatabase

        func run(in transaction: any Transaction) throws { try work.run(in: database.counting(transaction)) }
    }

    private func counting(_ transaction: any Transaction) -> WatchedTransaction {
        WatchedTransaction(base: transaction, before: count, countRows: count(rows:))
    }

    private func count(_ sql: String, _ values: [SQLValue]) {
        tally.withLock { $0.append(Call(sql: sql, values: values)) }
    }

    private func count(rows: Int) { rowTally.withLock { $0 += rows } }
}
