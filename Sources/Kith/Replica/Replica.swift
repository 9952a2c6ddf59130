package import Foundation
package import GRDB
import KithModel
import Synchronization

/// The local SQLite copy that the app reads and writes, online or offline.
package final class Replica: Sendable {
    /// The location of a replica's database.
    package enum Location: Sendable {
        case inMemory
        case file(URL)
        /// A database that is already open, for a replica in memory that was restarted or copied. Reads and writes run on
        /// the caller's thread, because a change of threads would take longer.
        case open(any DatabaseWriter)
    }

    /// Functions that are called around each commit. A test that throws in one of them simulates a crash: before the
    /// commit the write is lost, after it the write is complete.
    package struct Faults: Sendable {
        package var beforeCommit: @Sendable () throws -> Void = {}
        package var afterCommit: @Sendable () throws -> Void = {}

        package init() {}
    }

    package let database: any DatabaseWriter
    package let hub: ChangeHub
    package let dependencies: Dependencies
    let serverTime = ServerTime()
    private let faults: Faults
    private let file: DatabaseFile?
    /// The store to read and write; nil for the current one.
    package let scope: AccountScope?
    /// Whether this replica reads and writes the store of ``scope``, whichever store is current.
    var isPinned: Bool { scope != nil }
    private let keepsLastRemoval: Bool
    /// Whether ``read(_:)`` and ``write(origin:_:)`` run on the caller's thread.
    private let isImmediate: Bool
    /// Carries out the effects of the sessions' machines, on the writer's queue after the commit.
    private let sessionShell = Mutex<(@Sendable (SessionMachine.Effect, AccountID?) -> Void)?>(nil)
    /// The new location of a damaged file, if there was one.
    package let movedAside: URL?

    package init(
        _ location: Location, dependencies: Dependencies = .system, postsNotifications: Bool = false,
        faults: Faults = Faults(), scope: AccountScope? = nil, keepsLastRemoval: Bool = false
    ) throws {
        self.dependencies = dependencies
        self.scope = scope
        self.keepsLastRemoval = keepsLastRemoval
        self.hub = ChangeHub(postsNotifications: postsNotifications)
        self.faults = faults
        let applied: Set<String>
        do {
            switch location {
            case .inMemory:
                database = try DatabaseQueue(configuration: Self.configuration)
                (file, movedAside, isImmediate) = (nil, nil, false)
                applied = try Self.prepare(database, salvaging: nil, dependencies)
            case .open(let writer):
                database = writer
                (file, movedAside, isImmediate) = (nil, nil, true)
                applied = try Self.prepare(database, salvaging: nil, dependencies)
            case .file(let url):
                let file = DatabaseFile(url: url, tables: dependencies.collections.tablesOfStart)
                self.file = file
                isImmediate = false
                var before: Set<String> = []
                (database, movedAside) = try file.open(configuration: Self.configuration) { database, movedAside in
                    before = try Replica.prepare(database, salvaging: movedAside, dependencies)
                }
                applied = before
            }
            if isPinned { try prepareScope() }
        } catch {
            throw KithError.translated(error)
        }
        dependencies.log.opened(
            migrations: ReplicaSchema.migrator.migrations.filter { !applied.contains($0) }, isNew: applied.isEmpty,
            isSalvaged: movedAside != nil)
    }

    /// Makes the tables and the first store, and copies what can be read of a damaged file.
    ///
    /// - Returns: The migrations that the database has had before. It is empty for a new one.
    private static func prepare(
        _ database: any DatabaseWriter, salvaging movedAside: URL?, _ dependencies: Dependencies
    ) throws -> Set<String> {
        let tables = dependencies.collections.tables
        let columns = try ReplicaSchema.knownColumns(of: tables, database)
        let applied = try ReplicaSchema.migrate(database)
        let device: DeviceID = dependencies.makeID()
        let hasTables = tables.allSatisfy { $0.isComplete(with: columns[$0.name] ?? []) }
        // Most replicas have everything, and are not written.
        if try !hasTables || !database.writeWithoutTransaction({ try hasAccount($0) }) {
            try database.write { db in
                if !hasTables { for table in tables { try table.createIfMissing(db) } }
                guard try !hasAccount(db) else { return }
                try ReplicaAccount.insert(id: nil, state: .initial, device: device, db).makeCurrent(db)
            }
        }
        if let movedAside { try Salvage.copy(from: movedAside, into: database, dependencies) }
        return applied
    }

    private static func hasAccount(_ db: Database) throws -> Bool { try db.exists("SELECT 1 FROM account") }

    package static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return configuration
    }

    /// Sets the closure that carries out the effects of the sessions' machines.
    func onSessionEffect(_ shell: @escaping @Sendable (SessionMachine.Effect, AccountID?) -> Void) {
        sessionShell.withLock { $0 = shell }
    }

    // MARK: The store

    /// The store to read and write.
    package func account(_ db: Database) throws -> ReplicaAccount {
        guard let scope else { return try ReplicaAccount.current(db) }
        guard let account = try ReplicaAccount.at(scope, db) else {
            throw KithError(.notFound, "This device has no data of \(scope).")
        }
        return account
    }

    /// The state of a store's session for this client. A pinned client never opens a session, so `initial` counts as
    /// `loggedOut`.
    func sessionState(of account: ReplicaAccount) -> SessionState {
        isPinned && account.state == .initial ? .loggedOut : account.state
    }

    /// Checks that the store exists. Creates the userless store if it is missing.
    private func prepareScope() throws {
        let device: DeviceID = dependencies.makeID()
        try database.write { db in
            if scope == .userless, try ReplicaAccount.at(.userless, db) == nil {
                _ = try ReplicaAccount.insert(id: nil, state: .loggedOut, device: device, db)
            }
            _ = try account(db)
        }
    }

    // MARK: Calls

    /// The calls that this task runs, of any replica, the outermost first. There are none outside of
    /// ``forCurrentAccount(isExact:_:)`` and ``forCurrentSession(_:)``.
    @TaskLocal private static var calls: [CallAccount] = []

    /// The calls that this task runs with this replica. Closures on the database's queues are in no task, so they are read
    /// before them.
    private var ownCalls: [CallAccount] { Self.calls.filter { $0.replica == ObjectIdentifier(self) } }

    /// Runs a call for the account that is the current one now. Its writes and its requests throw ``KithError`` with `refused`
    /// if another account is the current one by then: see ``CallAccount``. A call within another one also stays with the
    /// account of the outer one.
    ///
    /// - Parameters:
    ///   - isExact: Whether the call's reads throw, too, and whether it also refuses the account of a session that replaces
    ///     the account's own.
    ///   - call: The call.
    /// - Returns: What the call returns.
    /// - Throws: What the call throws.
    package func forCurrentAccount<Value: Sendable>(
        isExact: Bool = false, _ call: () async throws -> Value
    ) async throws -> Value {
        // A pinned replica has one account.
        if isPinned { return try await call() }
        return try await staying(with: isExact ? .exactAccount : .account, call)
    }

    /// Runs a command for the session that is the current one now. Its requests throw ``KithError`` with `reset` if it has
    /// ended by then: see ``CallAccount``. Its edits go to the current store.
    func forCurrentSession<Value: Sendable>(_ command: () async throws -> Value) async throws -> Value {
        try await staying(with: .session, command)
    }

    private func staying<Value: Sendable>(
        with kind: CallAccount.Kind, _ work: () async throws -> Value
    ) async throws -> Value {
        let outer = ownCalls
        if outer.contains(where: { $0.kind == kind }) { return try await work() }
        // The call hears of every later change.
        let (call, listener) = try await onWriterQueue { reading in
            // Not as for a request: the work may be an edit, which a command of an ended session can still make.
            try outer.check(reading.account, for: .edit)
            let call = CallAccount(kind, reading.account, of: self)
            return (call, self.hub.listenToSession { call.note($0) })
        }
        defer { hub.leave(listener) }
        return try await Self.$calls.withValue(Self.calls + [call]) { try await work() }
    }

    /// Does work that belongs to no account, or checks itself which one it is for, within any call.
    static func forAnyAccount<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        try await $calls.withValue([]) { try await work() }
    }

    /// The current account, for a request of this task.
    ///
    /// - Throws: ``KithError``: `refused` if the task runs a call that began for another account; `reset` if it runs a command
    ///   that was given for a session that has ended.
    package func currentAccount() async throws -> ReplicaAccount {
        let calls = ownCalls
        if calls.isEmpty { return try await read { $0.account } }
        // On this queue, the calls have heard of every change of this process.
        return try await onWriterQueue { reading in
            try calls.check(reading.account, for: .request)
            return reading.account
        }
    }

    // MARK: Reading and writing

    /// Reads one snapshot of the database. Runs on the caller's thread, which waits.
    package func readNow<T>(_ body: (ReplicaReading) throws -> T) throws -> T {
        let calls = ownCalls
        return try failing { try database.unsafeRead { try snapshot($0, calls, body) } }
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (ReplicaReading) throws -> T) async throws -> T {
        if isImmediate { return try readNow(body) }
        let calls = ownCalls
        do {
            return try await database.unsafeRead { try self.snapshot($0, calls, body) }
        } catch {
            throw KithError.translated(error)
        }
    }

    /// Reads the store of the account, or that of `scope`; nil if the device has none.
    func read<T: Sendable>(
        within scope: AccountScope?, _ body: @escaping @Sendable (ReplicaReading) throws -> T
    ) async throws -> T? {
        try await read { reading -> T? in
            guard let scope else { return try body(reading) }
            return try ReplicaAccount.at(scope, reading.db).map {
                try body(ReplicaReading(db: reading.db, account: $0))
            }
        }
    }

    /// Reads one snapshot of the database.
    ///
    /// GRDB's `read` of a queue switches `query_only` on and off. Each switch makes SQLite prepare all statements
    /// again, which takes half of the time of a small read in memory.
    private func snapshot<T>(
        _ db: Database, _ calls: [CallAccount], _ body: (ReplicaReading) throws -> T
    ) throws -> T {
        try markingDamage(db) {
            try db.inKeptTransaction("DEFERRED") {
                let reading = try self.reading(db)
                try calls.check(reading.account, for: .read)
                return try body(reading)
            }
        }
    }

    private func reading(_ db: Database) throws -> ReplicaReading {
        ReplicaReading(db: db, account: try account(db))
    }

    /// Runs `body` in one transaction, and reports its changes to observers after the commit. Runs on the caller's thread,
    /// which waits.
    @discardableResult
    package func writeNow<T>(
        origin: ChangeOrigin = .device, _ body: (ReplicaTransaction) throws -> T
    ) throws -> T {
        let calls = ownCalls
        return try failing {
            try database.writeWithoutTransaction { db in
                try markingDamage(db) { try transact(db, calls, origin, body) }
            }
        }
    }

    @discardableResult
    package func write<T: Sendable>(
        origin: ChangeOrigin = .device, _ body: @escaping @Sendable (ReplicaTransaction) throws -> T
    ) async throws -> T {
        if isImmediate { return try writeNow(origin: origin, body) }
        let calls = ownCalls
        do {
            return try await database.writeWithoutTransaction { db in
                try self.markingDamage(db) { try self.transact(db, calls, origin, body) }
            }
        } catch {
            throw KithError.translated(error)
        }
    }

    private func transact<T>(
        _ db: Database, _ calls: [CallAccount], _ origin: ChangeOrigin, _ body: (ReplicaTransaction) throws -> T
    ) throws -> T {
        try file?.checkPlace(of: db)
        let (result, announcements, change, effects) = try db.inKeptTransaction("IMMEDIATE") {
            let account = try self.account(db)
            try calls.check(account, for: .edit)
            let transaction = ReplicaTransaction(
                db, account, dependencies, serverTime, isPinned: isPinned, origin: origin,
                hasObservers: hub.hasObservers, keepsLastRemoval: keepsLastRemoval)
            let result = try body(transaction)
            let announcements = try transaction.finish()
            try faults.beforeCommit()
            return (result, announcements, transaction.sessionChange, transaction.sessionEffects)
        }
        try faults.afterCommit()
        try file?.checkPlace(of: db)
        hub.announce(announcements)
        for (account, effect) in effects { sessionShell.withLock(\.self)?(effect, account) }
        if let change { hub.announce(change) }
        return result
    }

    /// Runs `body` on the queue of the writing connection, after one write and before the next.
    package func onWriterQueue<T: Sendable>(
        _ body: @escaping @Sendable (ReplicaReading) throws -> T
    ) async throws -> T {
        do {
            return try await database.writeWithoutTransaction { db in
                try self.markingDamage(db) { try body(self.reading(db)) }
            }
        } catch {
            throw KithError.translated(error)
        }
    }

    /// What `fetch` reads, now and after each change. The stream ends if the database cannot be read.
    ///
    /// `fetch` must read the same tables whatever is in them, because the tables of its first call are followed. A file is
    /// read on another connection than that of the writer, which is free for the next edit.
    func live<Value: Sendable & Equatable>(
        _ fetch: @escaping @Sendable (ReplicaReading) throws -> Value
    ) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    // Drops repeats: on Linux the first value can come twice.
                    let observation = ValueObservation.trackingConstantRegion { try fetch(self.reading($0)) }
                        .removeDuplicates()
                    for try await value in observation.values(in: self.database, bufferingPolicy: .bufferingNewest(1)) {
                        continuation.yield(value)
                    }
                } catch {}
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func failing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw KithError.translated(error) }
    }

    /// Runs `body` on a connection. If it meets damage, the next start replaces the file.
    private func markingDamage<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        guard let file else { return try body() }
        return try file.markingDamage(db, body)
    }
}
