import Foundation
package import GRDB
public import KithModel
import Synchronization

/// The server's database in one SQLite file, or in memory.
///
/// Waiting writes share a SQLite transaction, as many as can begin in four milliseconds. No write is answered before the common
/// commit is durable: one wait for the disk serves all of its writes, and the next ones run meanwhile. If one of them fails,
/// those that have run are undone and run again, each inside its own savepoint, so that the failed write is undone alone.
/// A write is performed even if its caller was cancelled.
public final class SQLiteDatabase: Database, ImmediateDatabase {
    /// A point before or after each commit, at which a test can simulate a crash.
    package enum CommitMoment: Hashable, Sendable {
        /// An error that is thrown here undoes the commit.
        case before
        /// An error that is thrown here keeps the commit, but its writers receive no answer.
        case after
    }

    private struct CommitQueue {
        var waiting: [AwaitedWork] = []
        var isCommitting = false
        /// Whether a write of the last commit of several writes has failed.
        var hasFailures = false
        var timeOfWrites = SQLiteDatabase.timeOfWrites
        var timeOfReads = SQLiteDatabase.timeOfReads
        var onCommit: (@Sendable (CommitMoment) throws -> Void)?
    }

    /// The server's id, which is stored in the file.
    public let server: ServerID
    /// The statements of the connection that writes. They end before the connection, which comes after them. A database in
    /// memory leaves the frequent ones to GRDB, which keeps them for the next database over the same connection.
    private let frequent: FrequentStatements?
    private let recent = RecentStatements()
    private let connection: any DatabaseWriter
    /// For short reads of a file; nil for a database in memory, which has one connection.
    private let readers: ReadConnections?
    /// Copies the log. It comes after the connection, which it must outlive. Nil for a database in memory, and for the
    /// file of another process.
    private let checkpoints: Checkpoints?
    /// Nil for a database in memory, and for the file of another process, where SQLite itself waits for the disk.
    private let log: DurableLog?
    /// Nil for a database in memory, and for the file of another process.
    private let files: FileCheck?
    private let queue = Mutex(CommitQueue())
    let random: RandomBytes
    let incarnation: Incarnation?

    /// Opens the database file at `path`, and creates it if it does not exist.
    ///
    /// The file `<path>.incarnation` beside it detects that the file was replaced by an older one. The database then
    /// announces a new epoch.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that exists.
    ///   - now: The time in the id of a new server; the current time if nil.
    ///   - random: The source of random bytes.
    /// - Throws: ``ServerError`` with the code `cannotOpen` if the file cannot be opened, or `busy` if it is of a newer version.
    public convenience init(
        path: String, at now: Timestamp? = nil, random: RandomBytes = .system
    ) throws {
        try self.init(path: path, at: now, random: random, migrations: Migrations())
    }

    /// ``init(path:at:random:)`` as a program with these migrations, and on a disk that stores the log as `storing` does.
    /// `whenRestored` is called if the file is not as its last server has left it.
    package convenience init(
        path: String, at now: Timestamp? = nil, random: RandomBytes = .system,
        migrations: Migrations, storing: (@Sendable (CInt) -> CInt)? = nil, whenRestored: () -> Void = {}
    ) throws {
        let file = try SQLiteFile(path, storing: storing)
        try self.init(file.pool, of: file, at: now, random: random, migrations, whenRestored)
    }

    /// Opens the database of a server from another process, whether the server runs or not. The database is not
    /// created, not upgraded, and gets no new incarnation.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if it does not exist, `cannotOpen` if it has another version or
    ///   cannot be opened, or `busy` if it is locked.
    public convenience init(besideServer path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ServerError(.notFound, "There is no database \(path). Name the server's with --database.")
        }
        try SQLiteFile.checkThatNothingIsMissing(at: path, Incarnation(beside: path))
        // SQLite would write to an empty file, and beside a device.
        let status = try? FileStatus(at: path)
        guard let status, status.isPlainFile, status.size > 0 else {
            throw ServerError(
                ServerError.cannotOpen, "\(path) is empty, or not a file. Name the server's database with --database.")
        }
        let (pool, server): (DatabasePool, ServerID?) = try SQLiteFile.naming(path) {
            let pool = try SQLiteFile.pool(path)
            let server = try pool.read { database in
                guard try SQLiteFile.isOfServer(database) else {
                    throw ServerError(
                        ServerError.cannotOpen,
                        "\(path) is not the database of a server. Name the server's with --database.")
                }
                let transaction = SQLiteTransaction(database)
                return try Migrations().isReadyForCommand(in: transaction) ? try Meta.server(in: transaction) : nil
            }
            return (pool, server)
        }
        guard let server else {
            throw ServerError(
                ServerError.cannotOpen,
                "\(path) is not of this program's version. Start “kith serve” of this version with it once.")
        }
        self.init(attached: pool, ReadConnections(path: path, SQLiteFile.configuration), of: server)
    }

    private init(attached connection: any DatabaseWriter, _ readers: ReadConnections, of server: ServerID) {
        self.server = server
        frequent = FrequentStatements()
        self.connection = connection
        self.readers = readers
        checkpoints = nil
        log = nil
        files = nil
        random = .system
        incarnation = nil
    }

    /// An empty database in memory, which is deleted with its last reference.
    public static func inMemory(
        at now: Timestamp? = nil, random: RandomBytes = .system
    ) throws -> SQLiteDatabase {
        do {
            let queue = try DatabaseQueue()
            try emptyDatabase.get().backup(to: queue)
            return try SQLiteDatabase(inMemory: queue, at: now, random: random)
        } catch let error as DatabaseError {
            throw ServerError(error)
        }
    }

    /// The tables of this version without any row. They are created once, and copied for each database in memory.
    private static let emptyDatabase = Result {
        let queue = try DatabaseQueue()
        try createTables(in: queue)
        return queue
    }

    /// A database over a connection that is already open. Its tables are created if they are missing.
    package convenience init(
        inMemory queue: DatabaseQueue, at now: Timestamp? = nil, random: RandomBytes = .system
    ) throws {
        try self.init(queue, of: nil, at: now, random: random)
    }

    /// Creates the tables of this version, without the rows that a server adds when it opens them.
    package static func createTables(in queue: DatabaseQueue) throws {
        try queue.write { try Migrations().run(in: SQLiteTransaction($0)) }
    }

    /// A database over the connection to `file`, or to the memory if it is nil.
    private init(
        _ connection: any DatabaseWriter, of file: SQLiteFile?, at now: Timestamp?,
        random: RandomBytes, _ migrations: Migrations = Migrations(), _ whenRestored: () -> Void = {}
    ) throws {
        frequent = file.map { _ in FrequentStatements() }
        self.connection = connection
        readers = file?.readers
        checkpoints = file?.checkpoints
        files = file?.check
        self.random = random
        incarnation = file?.incarnation
        do {
            server = try connection.write { database in
                try file?.checkContent(in: database)
                let transaction = SQLiteTransaction(database)
                try migrations.run(in: transaction)
                return try Meta.findOrCreateServer(at: now ?? Timestamp(Date()), random, in: transaction)
            }
            log = try file?.beginLog()
        } catch let error as DatabaseError {
            throw file?.failure(error) ?? ServerError(error)
        }
        if try renewEpochIfReplaced() { whenRestored() }
    }

    /// False: it has one writer.
    public var hasSeveralWriters: Bool { false }

    // Nothing can be committed any more.
    deinit { checkpoints?.finish() }

    /// Called before and after each commit. The writers of the commit receive the error that it throws.
    package var onCommit: (@Sendable (CommitMoment) throws -> Void)? {
        get { queue.withLock(\.onCommit) }
        set { queue.withLock { $0.onCommit = newValue } }
    }

    /// How long the writes of a commit may take together. For tests.
    package var timeOfWrites: Duration {
        get { queue.withLock(\.timeOfWrites) }
        set { queue.withLock { $0.timeOfWrites = newValue } }
    }

    /// How long the reads after a commit may delay the next commit. For tests.
    package var timeOfReads: Duration {
        get { queue.withLock(\.timeOfReads) }
        set { queue.withLock { $0.timeOfReads = newValue } }
    }

    /// Runs `work` in a transaction. A write shares its commit with other waiting writes; the read that follows it runs on the
    /// same connection, right after the commit.
    ///
    /// The page cache of this connection has what the write has read and changed. SQLite empties the cache of every other
    /// connection after a commit, so it would read the pages from the file and the log again.
    public func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        switch mode {
        case .write:
            do {
                try await AwaitedWork.perform(work) { add($0) }
            } catch {
                throw ServerError.translated(error)
            }
        case .check: try readNow(work, hasOneQuery: true)
        // Such a thread may block, and has the intended priority.
        case .read where !YieldingThreads.areCurrent:
            let result: Result<Void, any Error>
            do {
                result = .success(try await connection.read { try work.run(in: SQLiteTransaction($0)) })
            } catch {
                result = .failure(ServerError.translated(error))
            }
            try await waitUntilDurable()
            try result.get()
        case .read, .peek:
            let result = Result { try readNow(work) }
            try await waitUntilDurable()
            try result.get()
        }
    }

    /// Returns when everything that anybody may have seen until now is durable.
    public func waitUntilDurable() async throws { try await log?.wait() }

    /// Checks that the file and its log were not deleted, moved or replaced. If they were, nothing is written or answered any
    /// more.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if they were.
    package func checkFiles() throws { try files?.run() }

    /// ``perform(_:as:)`` on the caller's thread: a write with a commit of its own, and a read that does not wait for the disk.
    package func performNow(_ work: any TransactionWork, as mode: TransactionMode) throws {
        guard mode.isWrite else { return try readNow(work) }
        do {
            try AwaitedWork.performNow(work) { write in
                connection.writeWithoutTransaction { database in _ = commit([write], on: database) }
            }
        } catch {
            throw ServerError.translated(error)
        }
    }

    /// Reads on the caller's thread. It may see a commit that is not yet durable. A single query has a snapshot without a
    /// transaction around it.
    private func readNow(_ work: any TransactionWork, hasOneQuery: Bool = false) throws {
        // GRDB's `read` of a queue switches `query_only`, and each switch makes SQLite prepare all statements again. Its
        // `inTransaction` would prepare two statements each time.
        func read(_ database: GRDB.Database, _ frequent: FrequentStatements?) throws {
            let transaction = SQLiteTransaction(database, frequent: frequent)
            if hasOneQuery { return try work.run(in: transaction) }
            try transaction.execute("BEGIN DEFERRED")
            defer { try? transaction.execute("ROLLBACK") }
            try work.run(in: transaction)
        }
        do {
            if let readers { try readers.run(read) } else { try connection.unsafeRead { try read($0, nil) } }
        } catch let error as DatabaseError {
            // No new connection can be opened if the file is gone.
            if error.resultCode == .SQLITE_CANTOPEN { try checkFiles() }
            throw ServerError(error)
        }
    }

    /// The number of writes that wait for the next commit.
    package var waiting: Int { queue.withLock(\.waiting.count) }

    /// Whether a shared commit is in progress.
    package var isCommitting: Bool { queue.withLock { $0.isCommitting && $0.waiting.isEmpty } }

    /// Writes a backup of the database to a file, which is empty or missing. It has the same epoch and incarnation.
    ///
    /// All pages are copied in one step, from one snapshot. If there were several steps, SQLite would begin again after each
    /// commit of another process.
    package func backup(to path: String) throws {
        do {
            let copy = try DatabaseQueue(path: path)
            try connection.backup(to: copy)
            // Without a log, so that the backup is one file.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
        } catch {
            throw ServerError.translated(error)
        }
    }

    /// Reads a backup in one transaction.
    static func readBackup<Value>(_ path: String, _ body: (any Transaction) throws -> Value) throws -> Value {
        do {
            var readonly = Configuration()
            readonly.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: readonly)
            let value = try queue.read { try body(SQLiteTransaction($0)) }
            try queue.close()
            return value
        } catch {
            throw ServerError.translated(error)
        }
    }

    /// A copy of the database in memory, with the same epoch.
    package func copy() throws -> SQLiteDatabase {
        let copy = try DatabaseQueue()
        try connection.backup(to: copy)
        return try SQLiteDatabase(copy, of: nil, at: nil, random: random)
    }
}

// MARK: - Gathered commits

extension SQLiteDatabase {
    /// Adds a write to those that wait for the next commit, and begins to commit if no commit is in progress.
    private func add(_ write: AwaitedWork) {
        let isFirst = queue.withLock { queue in
            queue.waiting.append(write)
            defer { queue.isCommitting = true }
            return !queue.isCommitting
        }
        if isFirst {
            connection.asyncWriteWithoutTransaction { database in self.commitAll(on: database) }
        }
    }

    /// Commits until no write waits. Writes that arrive in the meantime wait for the next commit.
    private func commitAll(on database: GRDB.Database) {
        while true {
            let waiting = queue.withLock { queue in
                defer { queue.waiting.removeFirst(min(Self.writes, queue.waiting.count)) }
                if queue.waiting.isEmpty { queue.isCommitting = false }
                return Array(queue.waiting.prefix(Self.writes))
            }
            if waiting.isEmpty { return }
            let taken = commit(waiting, on: database)
            queue.withLock { $0.waiting.insert(contentsOf: waiting[taken...], at: 0) }
        }
    }

    /// Performs writes in one transaction, and answers them after its commit.
    ///
    /// - Returns: How many of them: fewer than all if their time was over. The others wait for the next commit.
    private func commit(_ waiting: [AwaitedWork], on database: GRDB.Database) -> Int {
        let (onCommit, time, hasFailures) = queue.withLock { ($0.onCommit, $0.timeOfWrites, $0.hasFailures) }
        // Its statements stay prepared, unlike those of GRDB's own `execute`.
        let transaction = SQLiteTransaction(database, frequent: frequent, recent: recent)
        var batch = waiting[...]
        do {
            let writes = GatheredWrites(waiting, in: transaction, on: database)
            let performed = try writes.perform(within: time, usingSavepoints: hasFailures)
            if waiting.count > 1 { queue.withLock { $0.hasFailures = performed.hasFailures } }
            batch = waiting.prefix(performed.count)
            try onCommit?(.before)
            if let log {
                try log.commit { try transaction.execute("COMMIT") }
            } else {
                try transaction.execute("COMMIT")
            }
            try onCommit?(.after)
            answer(batch, in: transaction, on: database)
        } catch {
            if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
            // A write that failed by itself reports its own error; the others report the error of the commit.
            for write in batch { answer(write, write.failure ?? error) }
        }
        return batch.count
    }

    /// Answers a write when what it has seen is durable.
    private func answer(_ write: AwaitedWork, _ failure: (any Error)? = nil) {
        guard let log else { return write.answer(failure) }
        log.whenDurable { write.answer($0 ?? failure) }
    }

    /// The maximum number of writes of one commit.
    private static let writes = 128

    /// How long the writes of one commit may take together, unless a test has set another time. No write begins later, but
    /// the first always does.
    ///
    /// Their authors are answered after the commit, and send nothing until then. If one commit took all waiting writes, the
    /// database and the devices would work in turns. So it takes few: the others already wait when these are answered.
    private static let timeOfWrites = Duration.milliseconds(4)

    /// How long the reads after a commit may delay the next commit, unless a test has set another time. No read begins later.
    private static let timeOfReads = Duration.milliseconds(5)

    /// Answers the writes of a commit, each after the read that follows it. All reads have one snapshot, which contains
    /// the commit.
    private func answer(
        _ batch: ArraySlice<AwaitedWork>, in transaction: SQLiteTransaction, on database: GRDB.Database
    ) {
        let end = ContinuousClock.now + timeOfReads
        try? transaction.execute("BEGIN DEFERRED")
        for write in batch {
            // SQLite itself ends the transaction if the disk fails. A read without a result runs on another connection.
            if database.isInsideTransaction, ContinuousClock.now < end { write.follow(in: transaction) }
            answer(write)
        }
        if database.isInsideTransaction { try? transaction.execute("ROLLBACK") }
    }
}

extension SQLiteDatabase {
    /// The epoch in the answers.
    public func epoch() throws -> String {
        try readNow { transaction in try Meta.epoch(in: transaction) }
    }

    /// Announces a new epoch. Every device then reads everything again, and resends its edits that this database lacks.
    ///
    /// This is for operators who have restored a database manually.
    @discardableResult public func newEpoch() throws -> String {
        try writeNow { [random] transaction in try Meta.renewEpoch(random, in: transaction) }
    }

    /// Gives the file a new incarnation, so that an older copy of the file is detected if it replaces the file.
    ///
    /// This happens at each opening; a long-lived server repeats it about every hour. One call must end before the next.
    public func renewIncarnation() async throws {
        guard let next = try announceIncarnation() else { return }
        // Not `writeNow`, which would wait until no other write waits.
        try await write { transaction in try Meta.set(Meta.incarnationName, to: next, in: transaction) }
        try incarnation?.write([next])
    }

    /// Adds a new incarnation to the file beside the database, and returns it; nil for a database in memory. The file names
    /// both during the change, so that a crash is not mistaken for a restored database.
    private func announceIncarnation() throws -> String? {
        guard let incarnation else { return nil }
        let next = random.bytes(16).base64URL
        let current = try readNow { transaction in try Meta.value(Meta.incarnationName, in: transaction) }
        try incarnation.write([current, next].compactMap(\.self))
        return next
    }

    /// Announces a new epoch if the file is new, or is not as its last server has left it.
    ///
    /// - Returns: Whether it was replaced.
    private func renewEpochIfReplaced() throws -> Bool {
        let (epoch, current) = try readNow { transaction in
            (
                try Meta.value(Meta.epochName, in: transaction),
                try Meta.value(Meta.incarnationName, in: transaction)
            )
        }
        let isAsLeft = incarnation.map { file in current.map { file.read().contains($0) } ?? false } ?? true
        if epoch == nil || !isAsLeft { try newEpoch() }
        guard let next = try announceIncarnation() else { return false }
        try writeNow { transaction in try Meta.set(Meta.incarnationName, to: next, in: transaction) }
        try incarnation?.write([next])
        return epoch != nil && !isAsLeft
    }
}
