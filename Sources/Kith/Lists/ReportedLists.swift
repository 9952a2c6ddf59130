import GRDB
import KithModel

/// The lists with their items and members, as they were last reported.
struct ReportedLists: ReportedContent {
    private var lists: [ListID: SharedList] = [:]
    private var items: [ItemID: ListItem] = [:]
    private var members: [RecordKey: Member] = [:]

    mutating func note(_ announcement: Announcement) {
        if let changed = announcement.lists {
            for list in changed.added + changed.modified { lists[list.id] = list }
            let gone = Set(changed.removed.map(\.id))
            for id in gone { lists[id] = nil }
            if !gone.isEmpty {
                items = items.filter { !gone.contains($0.value.listID) }
                members = members.filter { !gone.contains($0.value.listID) }
            }
        } else if let changed = announcement.items {
            for item in changed.added + changed.modified { items[item.id] = item }
            for item in changed.removed { items[item.id] = nil }
        } else if let changed = announcement.members {
            for member in changed.added + changed.modified { members[member.key] = member }
            for member in changed.removed { members[member.key] = nil }
        }
    }

    mutating func take(_ db: Database, _ account: ReplicaAccount, origin: ChangeOrigin) throws -> [Announcement] {
        let nowLists = try SharedList.fetchAll(db, account.key)
        let nowItems = try ListItem.fetchShown(db, account.key)
        let shown = Set(nowLists.map(\.id))
        let nowMembers = try Member.fetchAll(db, account.key).filter { shown.contains($0.listID) }
            .sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }
        var changedLists = Changed<SharedList>(origin: origin)
        var changedItems = Changed<ListItem>(origin: origin)
        var changedMembers = Changed<Member>(origin: origin)
        for one in Difference.all(lists.values.sorted { $0.id < $1.id }, nowLists, by: { .list($0.id) }) {
            changedLists.note(one.before, one.after)
        }
        let differentItems = Difference.all(
            items.values.sorted { $0.id < $1.id }, nowItems, by: { .item($0.id, in: $0.listID) })
        let differentMembers = Difference.all(
            members.values.sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }, nowMembers, by: \.key)
        lists = Dictionary(uniqueKeysWithValues: nowLists.map { ($0.id, $0) })
        items = Dictionary(uniqueKeysWithValues: nowItems.map { ($0.id, $0) })
        members = Dictionary(uniqueKeysWithValues: nowMembers.map { ($0.key, $0) })
        // If a list is gone, its items and members are not reported.
        for one in differentItems where one.after != nil || one.before.map({ shown.contains($0.listID) }) ?? false {
            changedItems.note(one.before, one.after)
        }
        for one in differentMembers where one.after != nil || one.before.map({ shown.contains($0.listID) }) ?? false {
            changedMembers.note(one.before, one.after)
        }
        return [.changes(changedLists), .changes(changedItems), .changes(changedMembers)]
    }
}

extension Member {
    fileprivate var key: RecordKey { .member(id, of: listID) }
}
