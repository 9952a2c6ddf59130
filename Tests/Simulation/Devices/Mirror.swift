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
    }

    private var belief = Shared(Belief())

    func begin(with replica: Replica) throws {
        let belief = Shared(Belief())
        self.belief = belief
        _ = replica.hub.listen { announcement in
            if let changed = announcement.lists { belief.now.take(changed) }
            if let changed = announcement.items { belief.now.take(changed) }
            if let changed = announcement.members { belief.now.take(changed) }
            if let differences = announcement.contacts { belief.now.take(differences.changes(in: .everyone)) }
        }
        let look = try replica.look()
        belief.now.lists = Dictionary(uniqueKeysWithValues: look.lists.map { ($0.id, $0) })
        belief.now.contacts = Dictionary(uniqueKeysWithValues: look.contacts.map { ($0.id, $0) })
        let shown = Set(look.lists.map(\.id))
        belief.now.members = Dictionary(
            uniqueKeysWithValues: look.members.filter { shown.contains($0.listID) }.map { ($0.place, $0) })
        belief.now.items = Dictionary(
            uniqueKeysWithValues: look.items.filter { shown.contains($0.listID) }.map { ($0.id, $0) })
    }

    /// Announcements that contradict earlier ones.
    var ownFaults: [String] { belief.now.faults }

    /// Announcements that contradict earlier ones, and differences from what getters return.
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
        let members = look.members.filter { shown.contains($0.listID) }
        if Dictionary(uniqueKeysWithValues: members.map { ($0.place, $0) }) != now.members {
            let told = now.members.values.sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }
            faults.append("members: getters show \(members), signals told \(told)")
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
    /// The announced properties of a contact. A change of the modification time alone is not announced.
    fileprivate var told: String {
        "\(relation) \(String(describing: asked ?? accepted)) \(String(describing: notified)) \(isBlocked) "
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
            // If a list is removed, only the list is announced.
            items = items.filter { $0.value.listID != list.id }
            members = members.filter { $0.value.listID != list.id }
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

    mutating func take(_ changed: Changed<Member>) {
        for member in changed.added {
            if members.updateValue(member, forKey: member.place) != nil { faults.append("\(member.id) added twice") }
        }
        for member in changed.modified {
            if members.updateValue(member, forKey: member.place) == nil {
                faults.append("\(member.id) modified unseen")
            }
        }
        for member in changed.removed where members.removeValue(forKey: member.place) == nil {
            faults.append("\(member.id) removed unseen")
        }
    }
}

extension Member {
    /// The key of the member's record.
    fileprivate var place: Place { Place(feed: listID.retyped(), record: id.retyped()) }
}
