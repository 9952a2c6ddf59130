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
        var lists: [ListID: SharedList] = [:]
        var items: [ItemID: ListItem] = [:]
        var contacts: [AccountID: NetworkContact] = [:]
        var members: [RecordKey: Member] = [:]
        var matches: [Identity: Match] = [:]
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
            switch announcement {
            case .lists(let changed):
                for list in changed.added + changed.modified { state.lists[list.id] = list }
                let gone = Set(changed.removed.map(\.id))
                for id in gone { state.lists[id] = nil }
                if !gone.isEmpty {
                    state.items = state.items.filter { !gone.contains($0.value.listID) }
                    state.members = state.members.filter { !gone.contains($0.value.listID) }
                }
            case .items(let changed):
                for item in changed.added + changed.modified { state.items[item.id] = item }
                for item in changed.removed { state.items[item.id] = nil }
            case .contacts(let differences):
                for one in differences.all {
                    if let contact = one.after {
                        state.contacts[contact.id] = contact
                    } else if let id = one.before?.id {
                        state.contacts[id] = nil
                    }
                }
            case .members(let changed):
                for member in changed.added + changed.modified { state.members[member.key] = member }
                for member in changed.removed { state.members[member.key] = nil }
            case .populated: break
            }
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

    /// Reports the matches that this process has added or removed.
    func compareMatches(_ db: Database, _ account: ReplicaAccount) throws {
        // Commits of another process are left to `compare`, which reports them as such.
        let version = try Self.version(db)
        guard state.withLock({ $0.isOf(account.key, account.id) && $0.switched == nil && $0.version == version })
        else { return }
        let matches = try Match.fetchAll(db, account.key)
        let changed = state.withLock { $0.takeMatches(matches, origin: .server) }
        if !changed.isEmpty { tell(Sighting(kind: .matches(changed), isFromElsewhere: false)) }
    }

    /// Reads the content and reports the differences; the whole content if the store is another one.
    private func read(_ db: Database, isFromElsewhere: Bool) throws {
        // Read the version first: a commit between the two reads is then in the content, and the next comparison finds
        // no difference.
        let version = try Self.version(db)
        var read: Reading?
        var left: ReplicaAccount?
        let known = state.withLock(\.store)
        try db.inTransaction(.deferred) {
            read = try Reading(db, replica.account(db))
            // The first session may have given the store its account since.
            left = try known.flatMap { try ReplicaAccount.with(key: $0, db) }
            return .commit
        }
        guard let read else { return }
        let sightings = state.withLock { state in
            var sightings: [Sighting] = []
            let isState = !state.isOf(read.store, read.account)
            if isState {
                if state.store != nil {
                    let before = AccountScope(state.account ?? left?.id)
                    let after = AccountScope(read.account)
                    sightings.append(
                        Sighting(kind: .switched(from: before, to: after), isFromElsewhere: isFromElsewhere))
                }
                state = State()
            }
            (state.version, state.store, state.switched) = (version, read.store, nil)
            let changes = state.take(read, origin: isState ? .state : .device).map {
                Sighting(kind: $0, isFromElsewhere: isFromElsewhere && !isState)
            }
            return sightings + changes.filter { isState || !$0.isEmpty }
        }
        for sighting in sightings { tell(sighting) }
    }

    private static func version(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "PRAGMA data_version")
    }
}

extension ExternalChanges.State {
    /// Replaces the stored content by what was read.
    ///
    /// - Returns: The differences.
    fileprivate mutating func take(_ read: Reading, origin: ChangeOrigin) -> [Sighting.Kind] {
        var changedLists = Changed<SharedList>(origin: origin)
        var changedItems = Changed<ListItem>(origin: origin)
        var changedMembers = Changed<Member>(origin: origin)
        for one in Difference.all(lists.values.sorted { $0.id < $1.id }, read.lists, by: { .list($0.id) }) {
            changedLists.note(one.before, one.after)
        }
        let network = ContactDifferences.between(
            contacts.values.sorted { $0.id < $1.id }, read.contacts, origin: origin, me: (account, read.account))
        let differentItems = Difference.all(
            items.values.sorted { $0.id < $1.id }, read.items, by: { .item($0.id, in: $0.listID) })
        let differentMembers = Difference.all(
            members.values.sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }, read.members, by: \.key)
        lists = Dictionary(uniqueKeysWithValues: read.lists.map { ($0.id, $0) })
        items = Dictionary(uniqueKeysWithValues: read.items.map { ($0.id, $0) })
        members = Dictionary(uniqueKeysWithValues: read.members.map { ($0.key, $0) })
        contacts = Dictionary(uniqueKeysWithValues: read.contacts.map { ($0.id, $0) })
        account = read.account
        // If a list is gone, its items are not reported.
        for one in differentItems where one.after != nil || one.before.map({ lists[$0.listID] != nil }) ?? false {
            changedItems.note(one.before, one.after)
        }
        for one in differentMembers where one.after != nil || one.before.map({ lists[$0.listID] != nil }) ?? false {
            changedMembers.note(one.before, one.after)
        }
        let found = takeMatches(read.matches, origin: origin)
        return [
            .change(.lists(changedLists)), .change(.items(changedItems)), .change(.members(changedMembers)),
            .change(.contacts(network)), .matches(found),
        ]
    }

    /// Replaces the stored matches by those that were read.
    ///
    /// - Returns: The differences.
    fileprivate mutating func takeMatches(
        _ read: [Match], origin: ChangeOrigin
    ) -> Changed<Match> {
        let before = matches
        matches = Dictionary(read.map { ($0.identity, $0) }) { first, _ in first }
        var changed = Changed<Match>(origin: origin)
        for identity in Set(before.keys).union(matches.keys).sorted() {
            changed.note(before[identity], matches[identity])
        }
        return changed
    }
}

extension AccountScope {
    fileprivate init(_ account: AccountID?) { self = account.map(AccountScope.account) ?? .userless }
}

extension Member {
    fileprivate var key: RecordKey { .member(id, of: listID) }
}
