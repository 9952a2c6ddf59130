import KithModel
import KithServer

/// A database whose asynchronous transactions run on the caller's thread, too.
///
/// A world does one thing at a time, so another thread would gain nothing, and a change of threads takes as long as a
/// transaction. Shared commits do not happen in a world: `SQLiteDatabaseTests` has them.
struct InlineDatabase: ImmediateDatabase {
    let database: any ImmediateDatabase

    var server: ServerID { database.server }
    var hasSeveralWriters: Bool { false }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        try database.performNow(work, as: mode)
    }

    func performNow(_ work: any TransactionWork, as mode: TransactionMode) throws {
        try database.performNow(work, as: mode)
    }
}
