import GRDB
import KithModel

/// Follows the changes of lists, their items and their members in one transaction.
///
/// Changes are relative to the state before the first change, so that observers receive each record once, with its
/// final state.
final class ListRecorder: ChangeRecorder {
    /// The lists before their first changes; nil for a list that was not shown.
    private var before: [ListID: SharedList?] = [:]
    /// When something in a list changed.
    private var touched: [ListID: Timestamp] = [:]
    /// Items that were inserted without a check for an existing record.
    private var inserted: [ListItem] = []
    /// The visible content of the former account, before a switch.
    private var left = Contents()
    /// After a switch: the differences in the lists that both accounts are in.
    private var switched = (items: [Difference<ListItem>](), members: [Difference<Member>]())

    /// The visible content of an account.
    private struct Contents {
        var lists: [ListID] = []
        var items: [ListItem] = []
        var members: [Member] = []
    }

    /// Who has changed the items of a list. A list with changes of both counts as changed by others.
    private enum InnerChange { case own, byOthers }

    // MARK: Following

    func willWrite(_ key: RecordKey, in transaction: ReplicaTransaction) throws {
        if key.isAboutList { try rememberBefore(key.list, in: transaction) }
    }

    /// Keeps the state of a list before its first change, if somebody is to receive the change.
    func rememberBefore(_ list: ListID, in transaction: ReplicaTransaction) throws {
        guard transaction.hasObservers, before[list] == nil else { return }
        before[list] = .some(try SharedList.fetch(list, in: transaction.store))
    }

    /// Notes items that were moved to this account with a list.
    func noteMoved(_ items: [ListItem], in transaction: ReplicaTransaction) {
        if transaction.hasObservers { inserted += items }
    }

    func didWrite(_ write: RecordWrite, _ key: RecordKey, in transaction: ReplicaTransaction) throws {
        let (old, now) = (write.before, transaction.now)
        if let record = write.after {
            guard key.collection == .items || key.collection == .lists else { return }
            // A removal changes the list's time when it is made. Its confirmation does not change it again.
            let isRemoval = key.collection == .items && record.isRemoved && old?.isRemoved == false
            touch(key.list, isRemoval ? now : record.modified)
        } else if let old {
            // A record whose creation was rejected never existed, so it does not count as removed.
            let wasThere = transaction.origin == .device || old.sequence > 0
            if old.isRemoved || (wasThere && !write.isLost) {
                try RemovedIdentities(transaction.store).note(key, at: now)
            }
            if key.collection == .items, !old.isRemoved { touch(key.list, now) }
        }
    }

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        guard records.collection == .items, let feed = records.feed.id else { return }
        if let modified = records.modified { touch(feed.retyped(as: SharedList.self), modified) }
        if transaction.hasObservers { inserted += records.map { ListItem($0, $1) } }
    }

    private func touch(_ list: ListID, _ time: Timestamp) { touched[list] = max(touched[list] ?? time, time) }

    func writeConsequences(in transaction: ReplicaTransaction) throws {
        // An answer replaces the time of a clock that was ahead by the server's.
        let latest = transaction.answerTime.map { max($0, transaction.now) } ?? Timestamp(milliseconds: .max)
        for (list, time) in touched {
            try DirectStatement(
                "UPDATE list SET touched = max(min(touched, ?), ?) WHERE account = ? AND id = ?", transaction.db
            ).run(latest.milliseconds, time.milliseconds, transaction.account.key, list)
        }
    }

    // MARK: Another account

    func willSwitch(in transaction: ReplicaTransaction) throws {
        for list in try SharedList.fetchAll(in: transaction.store) {
            try rememberBefore(list.id, in: transaction)
        }
        left = try contents(in: transaction)
    }

    func didSwitch(in transaction: ReplicaTransaction) throws {
        for list in try SharedList.fetchAll(in: transaction.store) where before[list.id] == nil {
            before[list.id] = .some(nil)
        }
        // In a list that both accounts are in, each account may have read different records.
        let now = try contents(in: transaction)
        let both = Set(left.lists).intersection(now.lists)
        switched.items = Difference.all(
            left.items.filter { both.contains($0.listID) }, now.items.filter { both.contains($0.listID) },
            by: { .item($0.id, in: $0.listID) })
        switched.members = Difference.all(
            left.members.filter { both.contains($0.listID) }, now.members.filter { both.contains($0.listID) },
            by: { .member($0.id, of: $0.listID) })
    }

    /// The visible content of the current account.
    private func contents(in transaction: ReplicaTransaction) throws -> Contents {
        let store = transaction.store
        let lists = try SharedList.fetchAll(in: store).map(\.id)
        let members = try lists.flatMap { try Member.fetchAll(of: $0, in: store) }
        return Contents(lists: lists, items: try ListItem.fetchShown(in: store), members: members)
    }

    // MARK: What observers receive

    func announcements(in transaction: ReplicaTransaction) throws -> Announcements {
        var after: [ListID: SharedList] = [:]
        for id in before.keys { after[id] = try SharedList.fetch(id, in: transaction.store) }
        // If a list is gone or was never visible, observers receive only the list, not its content.
        let hidden = before.keys.filter { after[$0] == nil }
        // A list that appears is announced with its whole content, including rows that were written earlier.
        let appearing = before.filter { $0.value == nil && after[$0.key] != nil }.map(\.key).sorted()
        let reported = Set(hidden).union(appearing)
        let (items, inner) = try itemChanges(appearing: appearing, reported: reported, in: transaction)
        var announcements = Announcements()
        announcements.add(listChanges(after: after, inner: inner, in: transaction))
        announcements.add(items)
        announcements.add(try memberChanges(appearing: appearing, reported: reported, in: transaction))
        return announcements
    }

    /// The changes of lists. A list also counts as modified when one of its items changes.
    private func listChanges(
        after: [ListID: SharedList], inner: [ListID: InnerChange], in transaction: ReplicaTransaction
    ) -> ChangesByAuthor<SharedList> {
        var lists = ChangesByAuthor<SharedList>(transaction.origin)
        for (id, before) in before.sorted(by: { $0.key < $1.key }) {
            let isOwn = inner[id].map { $0 == .own } ?? transaction.confirmed.contains(.list(id))
            let isConfirmation = isOwn && isConfirmation(before, after[id])
            if lists.add(before, after[id], isConfirmation: isConfirmation) { continue }
            guard let list = after[id] else { continue }
            switch inner[id] {
            case .own: lists.own.modified.append(list)
            case .byOthers: lists.others.modified.append(list)
            case nil: break
            }
        }
        return lists
    }

    /// The changes of items, and the lists with changed items. `appearing` are the lists that are announced with all of
    /// their items, and `reported` those whose single changes are not announced.
    private func itemChanges(
        appearing: [ListID], reported: Set<ListID>, in transaction: ReplicaTransaction
    ) throws -> (items: ChangesByAuthor<ListItem>, inner: [ListID: InnerChange]) {
        var items = ChangesByAuthor<ListItem>(transaction.origin)
        var inner = Dictionary(uniqueKeysWithValues: Set(inserted.map(\.listID)).map { ($0, InnerChange.byOthers) })
        for list in appearing {
            items.others.added += try ListItem.fetchAll(of: list, in: transaction.store)
        }
        for key in transaction.order where key.collection == .items && !reported.contains(key.list) {
            guard let (old, new) = transaction.shown(key) else { continue }
            let isConfirmation = transaction.confirmed.contains(key) && isConfirmation(old, new)
            let (before, after) = (old.map { ListItem(key, $0) }, new.map { ListItem(key, $0) })
            guard items.add(before, after, isConfirmation: isConfirmation) else { continue }
            inner[key.list] = isConfirmation ? inner[key.list] ?? .own : .byOthers
        }
        items.others.added += inserted.filter { !reported.contains($0.listID) }
        for one in switched.items { items.add(one.before, one.after) }
        return (items, inner)
    }

    /// The changes of members. The parameters are those of the changes of items.
    private func memberChanges(
        appearing: [ListID], reported: Set<ListID>, in transaction: ReplicaTransaction
    ) throws -> ChangesByAuthor<Member> {
        var members = ChangesByAuthor<Member>(transaction.origin)
        for list in appearing {
            members.others.added += try Member.fetchAll(of: list, in: transaction.store)
        }
        for key in transaction.order where key.collection == .members && !reported.contains(key.list) {
            guard let (old, new) = transaction.shown(key) else { continue }
            members.add(old.map { Member(key, $0) }, new.map { Member(key, $0) })
        }
        for one in switched.members { members.add(one.before, one.after) }
        return members
    }

    /// Whether a list differs only by values that the server adds: its time and its position among the lists.
    private func isConfirmation(_ old: SharedList?, _ new: SharedList?) -> Bool {
        old?.name == new?.name && old?.kind == new?.kind && old?.theme == new?.theme && old?.access == new?.access
            && old?.role == new?.role
    }

    /// Whether a record differs only by values that the server adds to this device's own edit: its creator and its
    /// time.
    private func isConfirmation(_ old: StoredRecord?, _ new: StoredRecord?) -> Bool {
        guard var old = old?.fields, var new = new?.fields else { return false }
        (old["creator"], new["creator"]) = (nil, nil)
        return old == new
    }
}
