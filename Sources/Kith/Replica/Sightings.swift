import GRDB
import KithModel
import Synchronization

/// A change of the replica, whichever process made it.
package struct Sighting: Hashable, Sendable {
    package let announcement: Announcement
    /// Whether another process made it. Where that had it from, it does not say.
    package let isFromElsewhere: Bool
}

extension KithClient {
    /// Changes of my lists, items and contacts, also those that other processes make on the
    /// same file: first what there is, then each change after it, in the order of the commits.
    ///
    /// The hub hears only its own process. Of others SQLite tells no more than
    /// that they have committed (`PRAGMA data_version`): so it is asked for that
    /// again and again, and when they have, what there is is compared with what was told.
    /// Each time another process commits, that reads everything once.
    ///
    /// - Parameter interval: Between two questions.
    /// - Returns: A stream that fails if the replica cannot be read, or if its
    ///   listener falls ``KithClient/unreadChanges`` changes behind.
    package func sightings(every interval: Duration) -> AsyncThrowingStream<Sighting, any Error> {
        let (replica, engine) = (replica, engine)
        return AsyncThrowingStream(bufferingPolicy: .bufferingOldest(unreadChanges)) { continuation in
            let told = Told { sighting in
                if case .dropped = continuation.yield(sighting) {
                    let sentence = "More changed than could be told in time. Listen again."
                    continuation.finish(throwing: KithError(.init(rawValue: "fellBehind"), sentence))
                }
            }
            let watching = Task {
                do {
                    // On the writer's queue, so that no change falls between the state and the first change.
                    let listener = try await replica.between { db, _ in
                        try told.begin(db)
                        return replica.hub.listen { told.note($0) }
                    }
                    defer { replica.hub.leave(listener) }
                    while true {
                        try await Task.sleep(for: interval)
                        // What another process saved offline waits here, too.
                        if try await replica.between({ db, _ in try told.compare(db) }) { engine.note(.edited) }
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in watching.cancel() }
        }
    }
}

/// What was told so far, to find out what is new when another process has committed.
///
/// It is used on the writer's queue only: there, between two writes, it is what
/// this process knows, and what differs from it was done by another.
private final class Told: Sendable {
    private struct State {
        /// Moves when another connection commits than the one that is asked. None but the writer does, in this process.
        var version: Int?
        var lists: [ListID: SharedList] = [:]
        var items: [ItemID: ListItem] = [:]
        var contacts: [AccountID: NetworkContact] = [:]
        var account: AccountID?
    }

    private let state = Mutex(State())
    private let tell: @Sendable (Sighting) -> Void

    init(_ tell: @escaping @Sendable (Sighting) -> Void) {
        self.tell = tell
    }

    func begin(_ db: Database) throws {
        try read(db, as: .state) { tell(Sighting(announcement: $0, isFromElsewhere: false)) }
    }

    /// Takes note of what this process has changed, and tells it.
    func note(_ announcement: Announcement) {
        state.withLock { state in
            switch announcement {
            case .lists(let changed):
                for list in changed.added + changed.modified { state.lists[list.id] = list }
                let gone = Set(changed.removed.map(\.id))
                for id in gone { state.lists[id] = nil }
                if !gone.isEmpty { state.items = state.items.filter { !gone.contains($0.value.listID) } }
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
                state.account = differences.meAfter
            case .members: break
            }
        }
        tell(Sighting(announcement: announcement, isFromElsewhere: false))
    }

    /// Tells what another process has changed, if one has committed since.
    ///
    /// - Returns: Whether one has.
    func compare(_ db: Database) throws -> Bool {
        guard try state.withLock(\.version) != Self.version(db) else { return false }
        try read(db, as: .device) { announcement in
            if !announcement.isEmpty { tell(Sighting(announcement: announcement, isFromElsewhere: true)) }
        }
        return true
    }

    /// Reads what there is, and hands on what of it is new.
    private func read(_ db: Database, as origin: ChangeOrigin, _ hand: (Announcement) -> Void) throws {
        // The version first: what is committed between the two shows in both, and is found equal the next time.
        let version = try Self.version(db)
        var lists: [SharedList] = []
        var items: [ListItem] = []
        var contacts: [NetworkContact] = []
        var me: AccountID?
        try db.inTransaction(.deferred) {
            let account = try ReplicaAccount.current(db)
            lists = try SharedList.fetchAll(db, account.key)
            items = try ListItem.fetchShown(db, account.key)
            contacts = try NetworkContact.fetchAll(db, account.key)
            me = account.id
            return .commit
        }
        var changedLists = Changed<SharedList>(origin: origin)
        var changedItems = Changed<ListItem>(origin: origin)
        var network = ContactDifferences(all: [], origin: origin)
        state.withLock { state in
            let listsBefore = state.lists
            let itemsBefore = state.items
            state.version = version
            network = .between(
                state.contacts.values.sorted { $0.id < $1.id }, contacts, origin: origin, me: (state.account, me))
            state.contacts = Dictionary(uniqueKeysWithValues: contacts.map { ($0.id, $0) })
            state.account = me
            state.lists = Dictionary(uniqueKeysWithValues: lists.map { ($0.id, $0) })
            state.items = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
            for one in Difference.all(listsBefore.values.sorted { $0.id < $1.id }, lists, by: { .list($0.id) }) {
                changedLists.note(one.before, one.after)
            }
            let items = Difference.all(
                itemsBefore.values.sorted { $0.id < $1.id }, items, by: { .item($0.id, in: $0.listID) })
            // Of a list that is gone only the list is told.
            for one in items where one.after != nil || one.before.map({ state.lists[$0.listID] != nil }) ?? false {
                changedItems.note(one.before, one.after)
            }
        }
        hand(.lists(changedLists))
        hand(.items(changedItems))
        hand(.contacts(network))
    }

    private static func version(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "PRAGMA data_version")
    }
}
