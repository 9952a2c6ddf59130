import GRDB
import KithModel
import Synchronization

/// Stores the content that was last reported, to find out what another process has changed.
///
/// It is only used on the writer's queue. Between two writes it holds what this process knows, so any difference from
/// the database comes from another process.
final class ExternalChanges: Sendable {
    struct State {
        /// SQLite's data version as the writer reads it. It changes when another connection commits. In this process
        /// only the writer commits.
        var version: Int?
        /// The reported store; nil before the first report.
        var store: StoreKey?
        /// Which process has made another store the current one. Only set if a change of this process revealed the
        /// switch.
        var switched: Switch?
        var content: [any ReportedContent] = []
        var account: AccountID?

        /// Whether this is the reported store. The first session may have given it an account since then. After a store
        /// is dropped, another one may get its number.
        func isOf(_ key: StoreKey?, _ id: AccountID?) -> Bool { store == key && (account == nil || account == id) }
    }

    enum Switch { case byThisProcess, byAnother }

    private let state = Mutex(State())
    private let replica: Replica
    private let tell: @Sendable (ObservedChange) -> Void

    init(_ replica: Replica, _ tell: @escaping @Sendable (ObservedChange) -> Void) {
        self.replica = replica
        self.tell = tell
    }

    func begin(_ db: Database) throws { try read(db, isFromElsewhere: false) }

    /// Stores what this process has changed, and reports it.
    func note(_ announcement: Announcement) {
        let current = try? replica.database.unsafeReentrantWrite {
            (account: try self.replica.account($0), version: try Self.version($0))
        }
        let isSwitched = state.withLock { state in
            if state.switched == nil {
                if state.isOf(current?.account.key, current?.account.id) {
                    state.account = current?.account.id
                } else {
                    // Otherwise another process switched the store, and this one was the first to write afterwards.
                    state.switched = state.version == current?.version ? .byThisProcess : .byAnother
                }
            }
            return state.switched != nil
        }
        // The next comparison reports the switch and everything after it.
        if isSwitched { return }
        state.withLock { state in
            for index in state.content.indices { state.content[index].note(announcement) }
        }
        tell(ObservedChange(kind: .change(announcement), isFromElsewhere: false))
    }

    /// Reports the changes of another process, if one has committed, or the new store, if this process has switched to
    /// one.
    ///
    /// - Returns: Whether another process has committed.
    func compare(_ reading: ReplicaReading) throws -> Bool {
        let (version, account) = (try Self.version(reading.db), reading.account)
        let (switched, isOther, hasMoved) = state.withLock {
            ($0.switched, !$0.isOf(account.key, account.id), $0.version != version)
        }
        guard switched != nil || isOther || hasMoved else { return false }
        try read(reading.db, isFromElsewhere: switched.map { $0 == .byAnother } ?? hasMoved)
        return hasMoved
    }

    /// Reports changes of this process that no transaction announces, until the task is cancelled.
    func watchUnannounced() async {
        await withDiscardingTaskGroup { group in
            for changes in replica.dependencies.collections.reported.compactMap({ $0.unannouncedChanges(in: replica) })
            {
                group.addTask {
                    for await _ in changes {
                        try? await self.replica.onWriterQueue { try self.compareUnannounced($0) }
                    }
                }
            }
        }
    }

    private func compareUnannounced(_ reading: ReplicaReading) throws {
        let (db, account) = (reading.db, reading.account)
        // Commits of another process are left to `compare`, which reports them as external. In one transaction, none of them
        // comes between the version and the content.
        var changes: [Announcement] = []
        try db.inTransaction(.deferred) {
            let version = try Self.version(db)
            changes = try state.withLock { state -> [Announcement] in
                guard state.isOf(account.key, account.id), state.switched == nil, state.version == version else {
                    return []
                }
                return try state.content.indices.flatMap { try state.content[$0].takeUnannounced(reading) }
            }
            return .commit
        }
        for change in changes where !change.isEmpty {
            tell(ObservedChange(kind: .change(change), isFromElsewhere: false))
        }
    }

    /// Reads the content and reports the differences. If another store is current, reports the switch and its whole
    /// content.
    private func read(_ db: Database, isFromElsewhere: Bool) throws {
        // The version is read first. A commit between the two reads is then already in the content, and the next
        // comparison finds no difference.
        let version = try Self.version(db)
        var observedChanges: [ObservedChange] = []
        try db.inTransaction(.deferred) {
            observedChanges = try read(
                ReplicaReading(db: db, account: replica.account(db)), version, isFromElsewhere: isFromElsewhere)
            return .commit
        }
        for change in observedChanges { tell(change) }
    }

    private func read(
        _ reading: ReplicaReading, _ version: Int?, isFromElsewhere: Bool
    ) throws -> [ObservedChange] {
        let account = reading.account
        return try state.withLock { state in
            var observedChanges: [ObservedChange] = []
            let isState = !state.isOf(account.key, account.id)
            if isState {
                if let store = state.store {
                    // The first session may have given the store its account since the last report.
                    let left = try ReplicaAccount.with(key: store, reading.db)
                    let before = AccountScope(state.account ?? left?.id)
                    observedChanges.append(
                        ObservedChange(
                            kind: .switched(from: before, to: AccountScope(account.id)),
                            isFromElsewhere: isFromElsewhere))
                }
                state = State()
                state.content = replica.dependencies.collections.reported.map { $0.init() }
            }
            (state.version, state.store, state.account, state.switched) = (version, account.key, account.id, nil)
            for index in state.content.indices {
                let changes = try state.content[index].take(reading, origin: isState ? .state : .device)
                for change in changes where isState || !change.isEmpty {
                    observedChanges.append(
                        ObservedChange(kind: .change(change), isFromElsewhere: isFromElsewhere && !isState))
                }
            }
            return observedChanges
        }
    }

    private static func version(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "PRAGMA data_version")
    }
}
