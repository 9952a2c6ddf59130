import KithModel

/// The lists with their items and members, as they were last reported.
struct ReportedLists: ReportedContent {
    private var lists = Reported<SharedList> { .list($0.id) }
    private var items = Reported<ListItem> { .item($0.id, in: $0.listID) }
    private var members = Reported<Member> { .member($0.id, of: $0.listID) }

    mutating func note(_ announcement: Announcement) {
        if let changed = announcement.lists {
            lists.note(changed)
            let gone = Set(changed.removed.map(\.id))
            if gone.isEmpty { return }
            items.forget { gone.contains($0.listID) }
            members.forget { gone.contains($0.listID) }
        } else if let changed = announcement.items {
            items.note(changed)
        } else if let changed = announcement.members {
            members.note(changed)
        }
    }

    mutating func take(_ reading: ReplicaReading, origin: ChangeOrigin) throws -> [Announcement] {
        let nowLists = try SharedList.fetchAll(in: reading.store)
        let shown = Set(nowLists.map(\.id))
        // If a list is gone, its items and members are not reported.
        items.forget { !shown.contains($0.listID) }
        members.forget { !shown.contains($0.listID) }
        let nowMembers = try Member.fetchAll(in: reading.store).filter { shown.contains($0.listID) }
            .sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }
        return [
            .changes(lists.take(nowLists, origin: origin)),
            .changes(items.take(try ListItem.fetchShown(in: reading.store), origin: origin)),
            .changes(members.take(nowMembers, origin: origin)),
        ]
    }
}
