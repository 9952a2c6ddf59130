import GRDB

/// Writes that share a SQLite transaction.
///
/// In a savepoint, SQLite copies each page before it changes it. Writes seldom fail, so savepoints are used only if a write
/// has failed, in this commit or in the last one.
struct GatheredWrites {
    private let waiting: [AwaitedWork]
    private let transaction: SQLiteTransaction
    private let database: GRDB.Database

    init(_ waiting: [AwaitedWork], in transaction: SQLiteTransaction, on database: GRDB.Database) {
        (self.waiting, self.transaction, self.database) = (waiting, transaction, database)
    }

    /// Begins the transaction, and performs writes in it until their time is over. The first is always performed.
    ///
    /// - Parameters:
    ///   - time: The time in which writes may begin.
    ///   - lastHasFailed: Whether a write of the last commit of several writes has failed.
    /// - Throws: An error of the disk, which has undone all of them.
    /// - Returns: How many were performed, and whether one of them has failed.
    func perform(
        within time: Duration, usingSavepoints lastHasFailed: Bool
    ) throws -> (count: Int, hasFailures: Bool) {
        try transaction.execute("BEGIN IMMEDIATE")
        let usesSavepoints = waiting.count > 1 && lastHasFailed
        let end = ContinuousClock.now + time
        var (count, hasFailures) = (0, false)
        repeat {
            let write = waiting[count]
            let succeeds = try usesSavepoints ? attempt(write) : write.run(in: transaction) == nil
            if !succeeds { hasFailures = true }
            count += 1
        } while count < waiting.count && ContinuousClock.now < end && (usesSavepoints || !hasFailures)
        if hasFailures, !usesSavepoints {
            // If the disk is full or fails, SQLite itself has rolled back the transaction.
            if database.isInsideTransaction { try transaction.execute("ROLLBACK") }
            try transaction.execute("BEGIN IMMEDIATE")
            if waiting.count > 1 { for write in waiting[..<count] { _ = try attempt(write) } }
        }
        return (count, hasFailures)
    }

    /// Performs a write, or undoes it alone.
    ///
    /// - Returns: Whether it has not failed.
    private func attempt(_ write: AwaitedWork) throws -> Bool {
        try transaction.execute("SAVEPOINT one")
        let failure = write.run(in: transaction)
        if let failure {
            // If the disk is full or fails, SQLite itself rolls back the whole transaction, with all writes of this
            // commit.
            guard database.isInsideTransaction else { throw failure }
            try transaction.execute("ROLLBACK TO one")
        }
        try transaction.execute("RELEASE one")
        return failure == nil
    }
}
