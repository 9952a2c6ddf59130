import Foundation
package import GRDB
package import KithModel

/// One write to the replica, with its changes and the announcements to observers.
///
/// Changes are relative to the state before the first change of a record, so that observers receive each record once,
/// with its final state.
package final class ReplicaTransaction {
    package let db: Database
    package var account: ReplicaAccount { didSet { isAccountTouched = true } }
    /// Whether the account's row must be saved. An unneeded save would notify the row's observers.
    private var isAccountTouched = false
    package let dependencies: Dependencies
    let now: Timestamp
    let origin: ChangeOrigin
    /// Whether a removal is stored, so that it can be undone after a restart.
    var keepsLastRemoval = false
    /// Whether any observer wants the single rows of a first read.
    let announcesBulk: Bool

    var records: [RecordKey: (before: StoredRecord?, after: StoredRecord?)] = [:]
    var order: [RecordKey] = []
    var listsBefore: [ListID: SharedList?] = [:]
    private var digests: [FeedID: FeedDigest] = [:]
    private var touched: [ListID: Timestamp] = [:]
    /// Items that were written in bulk, without reading their old state.
    var bulk: [ListItem] = []
    var bulkContacts: [NetworkContact] = []
    /// The differences after a switch in lists that both accounts are in.
    var switched = (items: [Difference<ListItem>](), members: [Difference<Member>]())
    /// The account at the beginning of the transaction.
    let accountBefore: AccountID?
    /// The local number of that account if its first round was over.
    let populatedBefore: Int64?
    /// The contacts of the former account after a switch to another; nil without a switch.
    var networkBefore: [NetworkContact]?
    /// Changes of contacts outside of their records: pictures and details that were fetched.
    var arrived: [AccountID: Set<NetworkContact.Key>] = [:]
    /// Records with edits that the server acknowledges in this transaction.
    var confirmed: Set<RecordKey> = []

    /// The stores that this transaction has left for another.
    var left: [Int64] = []
    /// Whether the replica was opened for one store. In that case no other can become the current one.
    let isPinned: Bool

    init(
        _ db: Database, _ account: ReplicaAccount, _ dependencies: Dependencies, isPinned: Bool, origin: ChangeOrigin,
        announcesBulk: Bool
    ) {
        self.db = db
        self.account = account
        self.isPinned = isPinned
        self.accountBefore = account.id
        self.populatedBefore = account.isPopulated ? account.key : nil
        self.dependencies = dependencies
        self.now = dependencies.now()
        self.origin = origin
        self.announcesBulk = announcesBulk
    }

    var outbox: Outbox { Outbox(db: db, account: account.key) }
    var rejections: Rejections { Rejections(db: db, account: account.key) }
    var removedIdentities: RemovedIdentities { RemovedIdentities(db: db, account: account.key) }

    // MARK: Records

    func record(_ key: RecordKey) throws -> StoredRecord? {
        if let known = records[key] { return known.after }
        return try RecordTable.of(key.collection)?.record(db, account.key, key)
    }

    /// Writes a record as this device shows it; nil deletes it. `isLost` says that the record may still exist
    /// elsewhere.
    func put(_ record: StoredRecord?, _ key: RecordKey, isLost: Bool = false) throws {
        guard let table = RecordTable.of(key.collection) else { return }
        if key.isAboutList { try noteList(key) }
        let before = try self.record(key)
        if records[key] == nil { order.append(key) }
        records[key, default: (before, nil)].after = record
        if let record {
            try table.save(record, db, account.key, key)
            // A removal changes the list's time when it is made, not when it is confirmed.
            let isRemoval = key.collection == .items && record.isRemoved && before?.isRemoved == false
            if key.collection == .items || key.collection == .lists {
                touch(key.list, isRemoval ? now : record.modified)
            }
        } else {
            try table.delete(db, account.key, key)
            // A record whose creation was refused never existed, so it does not count as removed.
            let wasThere = origin == .device || (before?.sequence ?? 0) > 0
            if let before, before.isRemoved || (wasThere && !isLost) { try removedIdentities.note(key, at: now) }
            if key.collection == .items, let before, !before.isRemoved { touch(key.list, now) }
        }
    }

    /// Writes a record from the server; nil if it has none. Updates the feed's digest.
    func lay(_ record: StoredRecord?, _ key: RecordKey, feed: FeedID) throws {
        let before = try self.record(key)
        try changeDigest(feed) { digest in
            if let before, before.sequence > 0 { digest.remove(key.id, sequence: before.sequence) }
            if let record, record.sequence > 0 { digest.add(key.id, sequence: record.sequence) }
        }
        if before != record { try put(record, key) }
    }

    /// Writes rows of a page that the replica does not have, without reading each one first.
    func layNew(_ columns: RecordPage.Columns, at indexes: [Int], feed: FeedID, own: Bool) throws {
        guard let table = RecordTable.of(columns.collection), !indexes.isEmpty else { return }
        let upsert = try table.upsert(db)
        let unknown = columns.fields.keys.filter { table.schema[$0] == nil }
        var digest = try self.digest(feed)
        for index in indexes {
            let key = RecordKey(columns.collection, in: own ? nil : feed, columns.id(at: index))
            if index == indexes.first && key.isAboutList { try noteList(key) }
            let sequence = columns.sequences[index]
            let extra =
                unknown.isEmpty
                ? nil
                : table.extra(
                    in: Dictionary(uniqueKeysWithValues: unknown.map { ($0, columns.fields[$0]?[index] ?? .null) }))
            upsert.setUncheckedArguments(
                table.row(
                    account.key, key, sequence: sequence, modified: columns.modified[index], isRemoved: false,
                    extra: extra
                ) { columns.fields[$0]?[index] ?? .null })
            try upsert.execute()
            digest.add(key.id, sequence: sequence)
            if columns.collection == .items { touch(key.list, columns.modified[index]) }
            if announcesBulk { noteBulk(columns.record(at: index), key) }
        }
        digests[feed] = digest
    }

    private func noteBulk(_ record: StoredRecord, _ key: RecordKey) {
        switch key.collection {
        case .items: bulk.append(ListItem(key, record))
        case .contacts: bulkContacts.append(NetworkContact(key, record))
        default: break
        }
    }

    private func touch(_ list: ListID, _ time: Timestamp) {
        touched[list] = max(touched[list] ?? time, time)
    }

    // MARK: Digests

    func digest(_ feed: FeedID) throws -> FeedDigest {
        if let digest = digests[feed] { return digest }
        let text = try String.fetchOne(
            db.cachedStatement(sql: "SELECT digest FROM feed WHERE account = ? AND id = ?"),
            arguments: [account.key, stored(feed)])
        return text.flatMap(FeedDigest.init) ?? FeedDigest()
    }

    /// Recomputes a feed's digest from the stored records.
    func recount(_ feed: FeedID) throws {
        let isOwn = stored(feed) == .own
        var digest = FeedDigest()
        for schema in Schema.all where (schema.home == .account) == isOwn {
            let rows = try RecordTable.of(schema.collection)?.records(db, account.key, feed: isOwn ? nil : feed) ?? []
            for (key, record) in rows where record.sequence > 0 { digest.add(key.id, sequence: record.sequence) }
        }
        let parked = try Row.fetchAll(
            db, sql: "SELECT id, sequence FROM parked WHERE account = ? AND feed = ?",
            arguments: [account.key, stored(feed)])
        for row in parked { digest.add(row[0], sequence: row[1]) }
        digests[feed] = digest
    }

    func changeDigest(_ feed: FeedID, _ change: (inout FeedDigest) -> Void) throws {
        var digest = try digest(feed)
        change(&digest)
        digests[feed] = digest
    }

    /// Stores how far a feed has been read, and whether the next round reads it again from the start.
    func mark(_ feed: FeedID, isDoubtful: Bool) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO feed (account, id, digest, isDoubtful) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET digest = excluded.digest, isDoubtful = excluded.isDoubtful
                """
        ).execute(arguments: [account.key, stored(feed), digest(feed).description, isDoubtful])
        digests[feed] = nil
    }

    /// The feeds of lists that I am not in, except lists that I am about to create.
    func unaccountedFeeds() throws -> [FeedID] {
        try FeedID.fetchAll(
            db,
            sql: """
                SELECT id FROM list WHERE account = ?1
                UNION SELECT list FROM item WHERE account = ?1
                UNION SELECT list FROM member WHERE account = ?1
                UNION SELECT feed FROM parked WHERE account = ?1 AND feed <> ?2
                EXCEPT SELECT id FROM membership WHERE account = ?1 AND sequence > 0
                """, arguments: [account.key, FeedID.own]
        ).filter { try !isMaking($0) }
    }

    /// Whether I am about to create the list of this feed, so that nobody else can know it yet.
    func isMaking(_ feed: FeedID) throws -> Bool {
        let list = RecordKey.list(feed.retyped())
        return try PendingState.record(base: nil, unsent: outbox.unsent(of: list), of: list) != nil
    }

    func forget(_ feed: FeedID) throws {
        try db.execute(sql: "DELETE FROM feed WHERE account = ? AND id = ?", arguments: [account.key, stored(feed)])
        try db.execute(
            sql: "DELETE FROM parked WHERE account = ? AND feed = ?", arguments: [account.key, stored(feed)])
        digests[feed] = nil
    }

    /// The account's own feed is stored as zeros, because the account may have no identity yet.
    func stored(_ feed: FeedID) -> FeedID {
        feed.uuid == account.id?.uuid ? .own : feed
    }

    // MARK: Finishing

    /// Writes what follows from the changes, and returns what observers receive.
    func finish() throws -> [Announcement] {
        for (feed, digest) in digests {
            try db.cachedStatement(
                sql: """
                    INSERT INTO feed (account, id, digest) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET digest = excluded.digest
                    """
            ).execute(arguments: [account.key, stored(feed), digest.description])
        }
        for (list, time) in touched {
            try db.cachedStatement(sql: "UPDATE list SET touched = max(touched, ?) WHERE account = ? AND id = ?")
                .execute(arguments: [time.milliseconds, account.key, list])
        }
        if !account.isDropped { try forgetWhatIsHidden() }
        if isAccountTouched { try account.save(db) }
        return try announcements()
    }
}

extension RecordPage.Columns {
    fileprivate func record(at index: Int) -> StoredRecord {
        StoredRecord(
            fields: fields.mapValues { $0[index] }.filter { $0.value != .null }, sequence: sequences[index],
            modified: modified[index])
    }
}

extension RecordID where Record == Feed {
    /// The id under which the replica stores the account's own feed.
    static var own: FeedID { FeedID(UUID(high: 0, low: 0)) }
}

/// The announcements of a write, relative to the state before the first change.
extension ReplicaTransaction {
    /// Stores the state of a list before its first change.
    func noteList(_ key: RecordKey) throws {
        if listsBefore[key.list] == nil {
            listsBefore[key.list] = .some(try SharedList.fetch(db, account.key, key.list))
        }
    }

    /// Adds items that moved here with a list from another store.
    func noteMoved(_ items: [ListItem]) {
        if announcesBulk { bulk += items }
    }

    /// Stores the state of everything before another account becomes the current one.
    func noteAll() throws {
        for list in try SharedList.fetchAll(db, account.key) { try noteList(.list(list.id)) }
        try noteNetwork()
    }

    func announcements() throws -> [Announcement] {
        var lists = Heard<SharedList>(origin)
        var items = Heard<ListItem>(origin)
        var members = Heard<Member>(origin)
        var hidden: Set<ListID> = []
        // Lists with changed items or members. The value says whether others made the changes.
        var changedInside: [ListID: Bool] = Dictionary(uniqueKeysWithValues: Set(bulk.map(\.listID)).map { ($0, true) })
        var listsAfter: [ListID: SharedList] = [:]
        for id in listsBefore.keys {
            listsAfter[id] = try SharedList.fetch(db, account.key, id)
            // If a list is gone or was never shown, observers only receive the list.
            if listsAfter[id] == nil { hidden.insert(id) }
        }
        // A list that appears is announced with its whole content, also with rows that were written before.
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

    /// Whether a list differs only by what the server adds: its time and its place among the lists.
    private func isEcho(_ old: SharedList?, _ new: SharedList?) -> Bool {
        old?.name == new?.name && old?.kind == new?.kind && old?.theme == new?.theme && old?.access == new?.access
            && old?.role == new?.role
    }

    /// Whether a record differs only by what the server adds to this device's own edit: its creator and its time.
    private func isEcho(_ old: StoredRecord?, _ new: StoredRecord?) -> Bool {
        guard var old = old?.fields, var new = new?.fields else { return false }
        (old["creator"], new["creator"]) = (nil, nil)
        return old == new
    }
}

/// The changes of one collection: this device's and those of others.
private struct Heard<Record: Sendable & Hashable> {
    /// Confirmations of this device's own edits.
    var own = Changed<Record>(origin: .device)
    /// All other changes, with the origin of the transaction.
    var others: Changed<Record>

    init(_ origin: ChangeOrigin) { others = Changed(origin: origin) }

    @discardableResult
    mutating func note(_ before: Record?, _ after: Record?, isEcho: Bool = false) -> Bool {
        isEcho ? own.note(before, after) : others.note(before, after)
    }
}

/// Switching the device to another account.
extension ReplicaTransaction {
    /// Gives the current account the identity of a new session.
    ///
    /// The new account takes over the content of the userless store. It also takes over the store of an account whose
    /// token is no longer accepted, if the server never stored any records of that account. Otherwise that data stays
    /// in its own store, and the new account starts empty. The same holds if the session is on another server than the
    /// account.
    package func adopt(_ id: AccountID, at home: ServerIdentity = .unknown) throws {
        let isHome = account.home == home || account.home.verdict(on: home) == .same
        if try account.id == nil || (isHome && !account.hasSyncedRecords(db)) {
            if account.id != nil {
                try outbox.renumber()
                account.takeNewDevice(dependencies.makeID())
                account.token = nil
                try db.execute(sql: "DELETE FROM feed WHERE account = ?", arguments: [account.key])
                try doubtWhatWasSentBeside()
            }
            account.id = id
            account.home = home
            account.state = .anonymous
            // The attempts still count: a server that opens sessions but then rejects them is not asked too often.
            account.schedule.retryAt = nil
            account.error = nil
        } else {
            try enter(id, as: .anonymous, at: home)
        }
    }

    /// Makes another account the current one, and creates its row if there is none. Observers receive its lists and
    /// contacts as added and the others as removed.
    ///
    /// `id` is nil for the userless store. The account belongs to the server `home`; nil keeps the stored one.
    package func enter(_ id: AccountID?, as state: SessionState, at home: ServerIdentity? = nil) throws {
        guard !isPinned else { throw KithError.pinned }
        try noteAll()
        let before = try contents()
        if !account.isDropped {
            // A new session no longer replaces this one.
            if account.id != nil && account.state == .initial { account.state = .invalidToken }
            try account.save(db)
            left.append(account.key)
        }
        let device: DeviceID = dependencies.makeID()
        var next =
            try ReplicaAccount.at(id.map(AccountScope.account) ?? .userless, db)
            ?? ReplicaAccount.insert(id: id, state: state, device: device, db)
        next.state = state
        if let home { next.home = home }
        try next.makeCurrent(db)
        account = next
        for list in try SharedList.fetchAll(db, next.key) where listsBefore[list.id] == nil {
            listsBefore[list.id] = .some(nil)
        }
        // In a list that both accounts are in, each may have read different records.
        let after = try contents()
        let both = Set(before.lists).intersection(after.lists)
        switched.items = Difference.all(
            before.items.filter { both.contains($0.listID) }, after.items.filter { both.contains($0.listID) },
            by: { .item($0.id, in: $0.listID) })
        switched.members = Difference.all(
            before.members.filter { both.contains($0.listID) }, after.members.filter { both.contains($0.listID) },
            by: { .member($0.id, of: $0.listID) })
    }

    /// Creates the userless store if it is missing, because the first session has taken it over.
    func makeUserlessStore(as state: SessionState = .loggedOut) throws {
        guard try ReplicaAccount.at(.userless, db) == nil else { return }
        _ = try ReplicaAccount.insert(id: nil, state: state, device: dependencies.makeID(), db)
    }

    /// Makes the userless store the current one, if a client of one store has dropped the current store. `state` is
    /// used if the userless store has to be created.
    func keepOneCurrent(as state: SessionState) throws {
        guard try !Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE isCurrent)")! else { return }
        try makeUserlessStore(as: state)
        try db.execute(sql: "UPDATE account SET isCurrent = (id IS NULL)")
    }

    /// The content that observers see of the current account; empty if there are no observers.
    private func contents() throws -> (lists: [ListID], items: [ListItem], members: [Member]) {
        guard announcesBulk else { return ([], [], []) }
        let lists = try SharedList.fetchAll(db, account.key).map(\.id)
        let members = try lists.flatMap { try Member.fetchAll(db, account.key, of: $0) }
        return (lists, try ListItem.fetchShown(db, account.key), members)
    }
}

extension KithError {
    static let pinned = KithError(
        .refused, "This client works in one store only. Make one without `account` to change the session.")
}

/// One record before and after a change; nil if it does not exist.
struct Difference<Record: Sendable & Hashable> {
    var before: Record?
    var after: Record?

    /// The differences between two readings, in the order of the later one.
    static func all(_ before: [Record], _ after: [Record], by key: (Record) -> RecordKey) -> [Self] {
        var old = Dictionary(before.map { (key($0), $0) }) { first, _ in first }
        let changed = after.compactMap { record -> Self? in
            let was = old.removeValue(forKey: key(record))
            return was == record ? nil : Self(before: was, after: record)
        }
        return changed + before.filter { old[key($0)] != nil }.map { Self(before: $0, after: nil) }
    }
}
