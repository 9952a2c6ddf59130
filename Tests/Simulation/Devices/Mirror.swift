import Kith
import KithModel

/// Lists, items, members and contacts as reconstructed from the signals alone (law 9).
final class Mirror {
    fileprivate struct Belief: Sendable {
        var lists: [ListID: SharedList] = [:]
        var items: [ItemID: ListItem] = [:]
        var members: [Place: Member] = [:]
        var contacts: [AccountID: NetworkContact] = [:]
        var faults: [String] = []
        /// How many announcements there were since the app was started.
        var announcements = 0
    }

    private var belief = Shared(Belief())
    /// The last reading of the getters that was found to agree with the announcements, and their number.
    private var agreed: (reading: Int, announcements: Int)?

    /// Begins with what `content` reads, and follows the announcements of `replica` from then on.
    func begin(with replica: Replica, _ content: () throws -> Replica.Content) throws {
        let belief = Shared(Belief())
        (self.belief, agreed) = (belief, nil)
        _ = replica.hub.listen { announcement in
            belief.update { belief in
                belief.announcements += 1
                if let changed = announcement.lists { belief.take(changed) }
                if let changed = announcement.items { belief.take(changed) }
                if let changed = announcement.members { belief.take(changed) }
                if let differences = announcement.contacts { belief.take(differences.changes(in: .everyone)) }
            }
        }
        belief.now = Belief(try content())
    }

    /// Announcements that contradict earlier ones.
    var ownFaults: [String] { belief.now.faults }

    /// The first fault against a reading of the getters. The two are compared only if there was another reading or an
    /// announcement since they were last found to agree.
    func fault(against content: Replica.Content, reading: Int) -> String? {
        let announcements = belief.now.announcements
        if let agreed, agreed == (reading, announcements) { return nil }
        let fault = faults(against: content).first
        if fault == nil { agreed = (reading, announcements) }
        return fault
    }

    /// Announcements that contradict earlier ones, and differences from what getters return.
    func faults(against content: Replica.Content) -> [String] {
        let (told, shown) = (belief.now, Belief(content))
        var faults = told.faults
        if shown.lists != told.lists {
            let lists = told.lists.values.sorted { $0.id < $1.id }
            faults.append("lists: getters show \(content.lists), signals told \(lists)")
        }
        // Texts are built only for contacts that differ in anything.
        if shown.contacts != told.contacts, shown.contacts.mapValues(\.told) != told.contacts.mapValues(\.told) {
            faults.append("contacts: getters show \(content.contacts), signals told \(told.contacts.values)")
        }
        if shown.members != told.members {
            let members = told.members.values.sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }
            faults.append("members: getters show \(shown.members.values), signals told \(members)")
        }
        if shown.items == told.items { return faults }
        for id in Set(shown.items.keys).union(told.items.keys).sorted() where shown.items[id] != told.items[id] {
            let (own, other) = (String(describing: shown.items[id]), String(describing: told.items[id]))
            faults.append("item \(id): getters show \(own), signals told \(other)")
        }
        return faults
    }
}

extension NetworkContact {
    /// The announced properties of a contact. A change of the modification time alone is not announced.
    fileprivate var told: String {
        "\(relation) \(String(describing: asked ?? accepted)) \(String(describing: notified)) \(isBlocked) "
            + "\(String(describing: mutedFrom)) \(isBot) \(given ?? "") \(status ?? "") \(detailsTag ?? "")"
    }
}

extension Mirror.Belief {
    /// What getters show. Items and members of lists that are not shown are not announced.
    init(_ content: Replica.Content) {
        let shown = Set(content.lists.map(\.id))
        let members = content.members.filter { shown.contains($0.listID) }
        let items = content.items.filter { shown.contains($0.listID) }
        lists = Dictionary(uniqueKeysWithValues: content.lists.map { ($0.id, $0) })
        contacts = Dictionary(uniqueKeysWithValues: content.contacts.map { ($0.id, $0) })
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.place, $0) })
        self.items = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    }

    mutating func take(_ changes: NetworkChanges) {
        faults += contacts.take(changes.added, changes.updated.map(\.contact), changes.removed) { $0.id }
    }

    mutating func take(_ changed: Changed<SharedList>) {
        faults += lists.take(changed.added, changed.modified, changed.removed) { $0.id }
        // If a list is removed, only the list is announced.
        for list in changed.removed {
            items = items.filter { $0.value.listID != list.id }
            members = members.filter { $0.value.listID != list.id }
        }
    }

    mutating func take(_ changed: Changed<ListItem>) {
        faults += items.take(changed.added, changed.modified, changed.removed) { $0.id }
    }

    mutating func take(_ changed: Changed<Member>) {
        faults += members.take(changed.added, changed.modified, changed.removed) { $0.place }
    }
}

extension Dictionary {
    /// Takes over announced changes.
    ///
    /// - Returns: Those that contradict what was announced before.
    fileprivate mutating func take(
        _ added: [Value], _ modified: [Value], _ removed: [Value], _ key: (Value) -> Key
    ) -> [String] {
        var faults: [String] = []
        for value in added where updateValue(value, forKey: key(value)) != nil {
            faults.append("\(Value.self) \(key(value)) added twice")
        }
        for value in modified where updateValue(value, forKey: key(value)) == nil {
            faults.append("\(Value.self) \(key(value)) modified unseen")
        }
        for value in removed where removeValue(forKey: key(value)) == nil {
            faults.append("\(Value.self) \(key(value)) removed unseen")
        }
        return faults
    }
}

extension Member {
    /// The key of the member's record.
    fileprivate var place: Place { Place(feed: listID.retyped(), record: id.retyped()) }
}
