import Foundation
import GRDB
import Kith
import KithModel
import Synchronization

/// The power was cut.
struct Crash: Error {}

/// A value that a device's closures share with the world.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    var now: Value {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// One device: a real replica and real rounds over a database that outlives them.
final class SimulatedDevice {
    /// Where the next commit breaks off.
    enum CrashPoint: Sendable { case none, beforeCommit, afterCommit }

    let name: String
    let queue: DatabaseQueue
    /// The device's clock, in milliseconds.
    let clock: Shared<Timestamp>
    let crash = Shared(CrashPoint.none)
    private let random: RandomSource
    private(set) var replica: Replica
    private(set) var rounds: Rounds
    /// What someone who only listens believes to be there.
    let mirror = Mirror()
    /// Counts restarts: an answer to a device that was restarted meanwhile finds nobody.
    private(set) var life = 0
    /// The accounts that this device has tokens of.
    var sessions: [AccountID] = []

    init(name: String, queue: DatabaseQueue, time: Timestamp, seed: UInt64) throws {
        self.name = name
        self.queue = queue
        clock = Shared(time)
        random = RandomSource(SplitMix64(world: seed))
        replica = try Self.open(queue, clock, crash, random)
        rounds = Rounds(replica: replica)
        try mirror.begin(with: replica)
    }

    private static func open(
        _ queue: DatabaseQueue, _ clock: Shared<Timestamp>, _ crash: Shared<CrashPoint>, _ random: RandomSource
    ) throws -> Replica {
        var faults = Replica.Faults()
        faults.beforeCommit = { if crash.now == .beforeCommit { throw Crash() } }
        faults.afterCommit = { if crash.now == .afterCommit { throw Crash() } }
        return try Replica(
            .open(queue), surroundings: Surroundings(now: { clock.now }, random: random), faults: faults)
    }

    /// Whatever was only in memory is gone.
    func restart() throws {
        crash.now = .none
        life += 1
        replica = try Self.open(queue, clock, crash, random)
        rounds = Rounds(replica: replica)
        try mirror.begin(with: replica)
    }

    /// A copy of this device as a backup would restore it onto another.
    func copy(name: String, seed: UInt64) throws -> SimulatedDevice {
        let copy = try DatabaseQueue()
        try queue.backup(to: copy)
        let device = try SimulatedDevice(name: name, queue: copy, time: clock.now, seed: seed)
        device.sessions = sessions
        return device
    }
}

/// Lists and items as the signals alone tell of them (law 9).
final class Mirror {
    fileprivate struct Belief: Sendable {
        var lists: [ListID: SharedList] = [:]
        var items: [ItemID: ListItem] = [:]
        var contacts: [AccountID: NetworkContact] = [:]
        var faults: [String] = []
    }

    private var belief = Shared(Belief())

    func begin(with replica: Replica) throws {
        let belief = Shared(Belief())
        self.belief = belief
        _ = replica.hub.listen { announcement in
            switch announcement {
            case .lists(let changed): belief.now.take(changed)
            case .items(let changed): belief.now.take(changed)
            case .contacts(let differences): belief.now.take(differences.changes(in: .everyone))
            case .members: break
            }
        }
        let look = try replica.look()
        belief.now.lists = Dictionary(uniqueKeysWithValues: look.lists.map { ($0.id, $0) })
        belief.now.contacts = Dictionary(uniqueKeysWithValues: look.contacts.map { ($0.id, $0) })
        let shown = Set(look.lists.map(\.id))
        belief.now.items = Dictionary(
            uniqueKeysWithValues: look.items.filter { shown.contains($0.listID) }.map { ($0.id, $0) })
    }

    /// What was announced and cannot be, or differs from what getters show.
    func faults(against look: Replica.Look) -> [String] {
        let now = belief.now
        var faults = now.faults
        let shown = Set(look.lists.map(\.id))
        let items = look.items.filter { shown.contains($0.listID) }
        if Dictionary(uniqueKeysWithValues: look.lists.map { ($0.id, $0) }) != now.lists {
            faults.append(
                "lists: getters show \(look.lists), signals told \(now.lists.values.sorted { $0.id < $1.id })")
        }
        let contacts = Dictionary(uniqueKeysWithValues: look.contacts.map { ($0.id, $0) })
        if contacts.mapValues(\.told) != now.contacts.mapValues(\.told) {
            faults.append("contacts: getters show \(look.contacts), signals told \(now.contacts.values)")
        }
        for item in items where now.items[item.id] != item {
            faults.append(
                "item \(item.id): getters show \(item), signals told \(String(describing: now.items[item.id]))")
        }
        for id in now.items.keys where !items.contains(where: { $0.id == id }) {
            faults.append("item \(id): getters do not show what signals told")
        }
        return faults
    }
}

extension NetworkContact {
    /// What is told of a contact: when it was modified, by itself, is not.
    fileprivate var told: String {
        "\(relation) \(String(describing: asked)) \(String(describing: notified)) \(isBlocked) "
            + "\(String(describing: mutedFrom)) \(isBot) \(given ?? "") \(status ?? "") \(detailsTag ?? "")"
    }
}

extension Mirror.Belief {
    mutating func take(_ changes: NetworkChanges) {
        for contact in changes.added {
            if contacts.updateValue(contact, forKey: contact.id) != nil { faults.append("\(contact.id) added twice") }
        }
        for update in changes.updated {
            if contacts.updateValue(update.contact, forKey: update.contact.id) == nil {
                faults.append("\(update.contact.id) updated unseen")
            }
        }
        for contact in changes.removed where contacts.removeValue(forKey: contact.id) == nil {
            faults.append("\(contact.id) removed unseen")
        }
    }

    mutating func take(_ changed: Changed<SharedList>) {
        for list in changed.added {
            if lists.updateValue(list, forKey: list.id) != nil { faults.append("list \(list.id) added twice") }
        }
        for list in changed.modified {
            if lists.updateValue(list, forKey: list.id) == nil { faults.append("list \(list.id) modified unseen") }
        }
        for list in changed.removed {
            if lists.removeValue(forKey: list.id) == nil { faults.append("list \(list.id) removed unseen") }
            // Of a list that is removed only the list is told.
            items = items.filter { $0.value.listID != list.id }
        }
    }

    mutating func take(_ changed: Changed<ListItem>) {
        for item in changed.added {
            if items.updateValue(item, forKey: item.id) != nil { faults.append("item \(item.id) added twice") }
        }
        for item in changed.modified {
            if items.updateValue(item, forKey: item.id) == nil { faults.append("item \(item.id) modified unseen") }
        }
        for item in changed.removed where items.removeValue(forKey: item.id) == nil {
            faults.append("item \(item.id) removed unseen")
        }
    }
}
