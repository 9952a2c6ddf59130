import KithModel

/// What observers will hear of a write, taken against the state at the first touch.
extension ReplicaTransaction {
    /// Remembers how a list looked before anything about it changes.
    func noteList(_ key: RecordKey) throws {
        if listsBefore[key.list] == nil {
            listsBefore[key.list] = .some(try SharedList.fetch(db, account.key, key.list))
        }
    }

    /// Items that came with a list from behind another wall.
    func noteMoved(_ items: [ListItem]) {
        if announcesBulk { bulk += items }
    }

    /// Remembers how everything looked before another account becomes the current one.
    func noteAll() throws {
        for list in try SharedList.fetchAll(db, account.key) { try noteList(.list(list.id)) }
        try noteNetwork()
    }

    func announcements() throws -> [Announcement] {
        var lists = Heard<SharedList>(origin)
        var items = Heard<ListItem>(origin)
        var members = Heard<Member>(origin)
        var hidden: Set<ListID> = []
        // Lists that change by what is in them, and whether others did it.
        var changedInside: [ListID: Bool] = Dictionary(uniqueKeysWithValues: Set(bulk.map(\.listID)).map { ($0, true) })
        var listsAfter: [ListID: SharedList] = [:]
        for id in listsBefore.keys {
            listsAfter[id] = try SharedList.fetch(db, account.key, id)
            // Of a list that is gone, or was never shown, observers hear the list only.
            if listsAfter[id] == nil { hidden.insert(id) }
        }
        // A list that comes into sight brings all that it holds, also what came before it could be seen.
        let appearing = listsBefore.filter { $0.value == nil }.map(\.key).filter { !hidden.contains($0) }.sorted()
        if announcesBulk {
            for list in appearing {
                items.others.added += try ListItem.fetchAll(db, account.key, in: list)
                members.others.added += try Member.fetchAll(db, account.key, of: list)
            }
        }
        let told = hidden.union(appearing)
        for key in order where key.isAboutList && !told.contains(key.list) {
            guard let (before, after) = records[key] else { continue }
            let (old, new) = (before.flatMap { $0.isRemoved ? nil : $0 }, after.flatMap { $0.isRemoved ? nil : $0 })
            switch key.collection {
            case .items:
                let isEcho = confirmed.contains(key) && isEcho(old, new)
                if items.note(old.map { ListItem(key, $0) }, new.map { ListItem(key, $0) }, isEcho: isEcho) {
                    changedInside[key.list] = (changedInside[key.list] ?? false) || !isEcho
                }
            case .members: members.note(old.map { Member(key, $0) }, new.map { Member(key, $0) })
            default: break
            }
        }
        let network = try networkDifferences()
        items.others.added += bulk.filter { !told.contains($0.listID) }
        for one in switched.items { items.note(one.before, one.after) }
        for one in switched.members { members.note(one.before, one.after) }
        for (id, before) in listsBefore.sorted(by: { $0.key < $1.key }) {
            let after = listsAfter[id]
            let isByOthers = changedInside[id]
            let isOwn = isByOthers.map { !$0 } ?? confirmed.contains(.list(id))
            let isEcho = isOwn && isEcho(before, after)
            if !lists.note(before, after, isEcho: isEcho), let after, let isByOthers {
                if isByOthers { lists.others.modified.append(after) } else { lists.own.modified.append(after) }
            }
        }
        let all: [Announcement] = [
            .lists(lists.own), .items(items.own), .members(members.own), .contacts(network.own),
            .lists(lists.others), .items(items.others), .members(members.others), .contacts(network.others),
        ]
        let isPopulated = account.isPopulated && account.key != populatedBefore
        return all.filter { !$0.isEmpty } + (isPopulated ? [.populated] : [])
    }

    /// Whether a list differs only by what the server adds: its time, and its place among the lists.
    private func isEcho(_ old: SharedList?, _ new: SharedList?) -> Bool {
        old?.name == new?.name && old?.kind == new?.kind && old?.theme == new?.theme && old?.access == new?.access
            && old?.role == new?.role
    }

    /// Whether a record differs only by what the server adds to this device's own edit: its maker and its time.
    private func isEcho(_ old: StoredRecord?, _ new: StoredRecord?) -> Bool {
        guard var old = old?.fields, var new = new?.fields else { return false }
        (old["creator"], new["creator"]) = (nil, nil)
        return old == new
    }
}

/// The changes of one collection: those by this device, and those by others.
private struct Heard<Record: Sendable & Hashable> {
    /// What the server confirms of this device's own edits.
    var own = Changed<Record>(origin: .device)
    /// Everything else, by whoever is the transaction's origin.
    var others: Changed<Record>

    init(_ origin: ChangeOrigin) { others = Changed(origin: origin) }

    @discardableResult
    mutating func note(_ before: Record?, _ after: Record?, isEcho: Bool = false) -> Bool {
        isEcho ? own.note(before, after) : others.note(before, after)
    }
}
