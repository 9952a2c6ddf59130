import GRDB
import KithModel
import Synchronization

/// The content that was last reported, to find out what another process has changed.
///
/// It is only used on the writer's queue. Between two writes there, it is what this process knows. Any difference comes
/// from another process.
final class ExternalChanges: Sendable {
    struct State {
        /// SQLite's data version. It changes when a connection other than the queried one commits. In this process only
        /// the writer commits.
        var version: Int?
        /// The store that is reported; nil before the first report.
        var store: Int64?
        /// The process that has made another store the current one, if that was noticed by a change of this process.
        var switched: Switch?
        var content: [any ReportedContent] = []
        var account: AccountID?

        /// Whether this is the reported store. The first session may have given it an account since. The number of a
        /// dropped store may have been given to another store.
        func isOf(_ key: Int64?, _ id: AccountID?) -> Bool { store == key && (account == nil || account == id) }
    }

    enum Switch { case byThisProcess, byAnother }

    private let state = Mutex(State())
    private let replica: Replica
    private let tell: @Sendable (Sighting) -> Void

    init(_ replica: Replica, _ tell: @escaping @Sendable (Sighting) -> Void) {
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
                    // This process may only be the first to write after another process switched the store.
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
        tell(Sighting(kind: .change(announcement), isFromElsewhere: false))
    }

    /// Reports what another process has changed, if one has committed, or that this process now shows another store.
    ///
    /// - Returns: Whether another process has committed.
    func compare(_ db: Database, _ account: ReplicaAccount) throws -> Bool {
        let version = try Self.version(db)
        let (switched, isOther, hasMoved) = state.withLock {
            ($0.switched, !$0.isOf(account.key, account.id), $0.version != version)
        }
        guard switched != nil || isOther || hasMoved else { return false }
        try read(db, isFromElsewhere: switched.map { $0 == .byAnother } ?? hasMoved)
        return hasMoved
    }

    /// Reports what this process has changed without an announcement.
    func compareUnannounced(_ db: Database, _ account: ReplicaAccount) throws {
        // Commits of another process are left to `compare`, which reports them as such.
        let version = try Self.version(db)
        let changes = try state.withLock { state -> [Announcement] in
            guard state.isOf(account.key, account.id), state.switched == nil, state.version == version else {
                return []
            }
            return try state.content.indices.flatMap { try state.content[$0].takeUnannounced(db, account) }
        }
        for change in changes where !change.isEmpty { tell(Sighting(kind: .change(change), isFromElsewhere: false)) }
    }

    /// Reads the content and reports the differences; the whole content if the store is another one.
    private func read(_ db: Database, isFromElsewhere: Bool) throws {
        // Read the version first: a commit between the two reads is then in the content, and the next comparison finds
        // no difference.
        let version = try Self.version(db)
        var sightings: [Sighting] = []
        try db.inTransaction(.deferred) {
            sightings = try read(db, replica.account(db), version, isFromElsewhere: isFromElsewhere)
            return .commit
        }
        for sighting in sightings { tell(sighting) }
    }

    private func read(
        _ db: Database, _ account: ReplicaAccount, _ version: Int?, isFromElsewhere: Bool
    ) throws -> [Sighting] {
        try state.withLock { state in
            var sightings: [Sighting] = []
            let isState = !state.isOf(account.key, account.id)
            if isState {
                if let store = state.store {
                    // The first session may have given the store its account since.
                    let left = try ReplicaAccount.with(key: store, db)
                    let before = AccountScope(state.account ?? left?.id)
                    sightings.append(
                        Sighting(
                            kind: .switched(from: before, to: AccountScope(account.id)),
                            isFromElsewhere: isFromElsewhere))
                }
                state = State()
                state.content = replica.dependencies.collections.reported.map { $0.init() }
            }
            (state.version, state.store, state.account, state.switched) = (version, account.key, account.id, nil)
            for index in state.content.indices {
                let changes = try state.content[index].take(db, account, origin: isState ? .state : .device)
                for change in changes where isState || !change.isEmpty {
                    sightings.append(
                        Sighting(kind: .change(change), isFromElsewhere: isFromElsewhere && !isState))
                }
            }
            return sightings
        }
    }

    private static func version(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "PRAGMA data_version")
    }
}

extension AccountScope {
    fileprivate init(_ account: AccountID?) { self = account.map(AccountScope.account) ?? .userless }
}
