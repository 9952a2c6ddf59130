import KithModel
import KithServer

/// A server's database in which a commit can be interrupted by a simulated crash, whatever the driver.
///
/// A crash before a commit undoes the transaction. A crash after it keeps the transaction, and its caller gets no answer.
struct CrashingDatabase: ImmediateDatabase {
    let database: any ImmediateDatabase
    let crash: Shared<Crash.Point>

    var server: ServerID { database.server }
    var hasSeveralWriters: Bool { database.hasSeveralWriters }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        try await database.perform(interrupted(work, mode), as: mode)
        try crashAfterCommit(mode)
    }

    func performNow(_ work: any TransactionWork, as mode: TransactionMode) throws {
        try database.performNow(interrupted(work, mode), as: mode)
        try crashAfterCommit(mode)
    }

    private func interrupted(_ work: any TransactionWork, _ mode: TransactionMode) -> any TransactionWork {
        mode.isWrite ? InterruptedWork(work: work, crash: crash) : work
    }

    private func crashAfterCommit(_ mode: TransactionMode) throws {
        if mode.isWrite, crash.now == .afterCommit { throw Crash() }
    }
}

/// A write after which a crash can happen, before its commit.
private struct InterruptedWork: TransactionWork {
    let work: any TransactionWork
    let crash: Shared<Crash.Point>

    func run(in transaction: any Transaction) throws {
        try work.run(in: transaction)
        if crash.now == .beforeCommit { throw Crash() }
    }

    func follow(in transaction: any Transaction) { work.follow(in: transaction) }
}
