import KithModel

/// Feeds, access and records that a transaction has read, as it is about to leave them.
///
/// A value: whatever follows from a mutation is written here first, and can be
/// taken back to the last mark; at the end the difference to what was read goes
/// to the database in bulk.
struct Ledger: Sendable {
    /// The server's time.
    let now: Timestamp
    /// Who asks; nil for the server itself.
    let account: AccountID?
    /// The tag of the device that writes, for the stamps; 0 for none.
    let device: Int64
    /// What else has been read.
    var beside: Beside
    /// How many people were asked to connect.
    private var requests = 0
    /// Those whom the owners of lists have removed.
    private var removed: [FeedID: [RemovedPerson]] = [:]
    private(set) var feeds: [FeedID: FeedRow]
    private(set) var access: [FeedID: [AccountID: Role]]
    private(set) var records: [RecordKey: StoredRecord]
    private let before:
        (feeds: [FeedID: FeedRow], access: [FeedID: [AccountID: Role]], records: [RecordKey: StoredRecord])
    private var journal: [Change] = []

    /// What decides beside feeds, access and records. Nothing of it is written.
    struct Beside: Sendable {
        /// The lists that a live public link shows.
        var publicLists: Set<FeedID> = []
        /// Of the ids that lists and items are to have, those of accounts: neither can be made there.
        var foreign: Set<FeedID> = []
        /// How many lists who asks was in.
        var lists: Int64 = 0
        /// Of the people that are named, those that are programs.
        var bots: Set<AccountID> = []
        /// Of the pictures that a profile is to name, how many bytes each has; those that are not there are missing.
        var pictures: [String: Int] = [:]
        /// How many people who asks may ask today.
        var requestsLeft = 0
        /// How many bytes may still be written, by list and account: what is left of its owner's. Unlimited where none.
        var room = StorageRoom()
        /// When who asks was last online, as far as others may know: now, if they are; nil if they never were.
        var seen: Timestamp?
    }

    private enum Change {
        case feed(FeedID, FeedRow?)
        case access(FeedID, AccountID, Role?)
        case record(RecordKey, StoredRecord?)
        case request
        case removal(FeedID)
        case bytes(FeedID, Int64)
        case owner(FeedID, AccountID)
    }

    init(
        now: Timestamp, account: AccountID?, device: Int64, feeds: [FeedRow], access: [FeedID: [AccountID: Role]],
        records: [RecordKey: StoredRecord], beside: Beside
    ) {
        self.now = now
        self.account = account
        self.device = device
        self.feeds = Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0) })
        self.access = access
        self.records = records
        self.beside = beside
        self.before = (self.feeds, access, records)
    }

    // MARK: Reading

    func role(of account: AccountID, in feed: FeedID) -> Role? { access[feed]?[account] }

    /// The record at `place`, if it is not deleted.
    func live(_ place: RecordKey) -> StoredRecord? { records[place].flatMap { $0.state.isDeleted ? nil : $0 } }

    /// How many lists `account` is in, who has been counted when the ledger was opened.
    func lists(of account: AccountID) -> Int64 {
        access.reduce(beside.lists) { count, list in
            count + (list.value[account] != nil ? 1 : 0) - (before.access[list.key]?[account] != nil ? 1 : 0)
        }
    }

    /// The people of a list, in the order of their ids.
    func people(of list: FeedID) -> [AccountID] { (access[list] ?? [:]).keys.sorted() }

    /// How and when the next change reaches `feed`; nil if that feed was not read.
    func arrival(in feed: FeedID) -> Merge.Arrival? {
        feeds[feed].map {
            Merge.Arrival(time: max(now, $0.writtenAt), sequence: $0.sequence + 1, device: device)
        }
    }

    // MARK: Writing

    /// Writes a record whose state carries the feed's next sequence.
    mutating func put(_ record: StoredRecord, at place: RecordKey) {
        guard var feed = feeds[place.feed] else { return }
        let old = records[place]
        journal.append(.feed(feed.id, feed))
        journal.append(.record(place, old))
        if let old, !old.state.isDeleted {
            feed.digest.remove(place.record, sequence: old.state.sequence)
            feed.live -= 1
            if old.waits { feed.waiting -= 1 }
        }
        if !record.state.isDeleted {
            feed.digest.add(place.record, sequence: record.state.sequence)
            feed.live += 1
            if record.waits { feed.waiting += 1 }
        }
        feed.sequence = record.state.sequence
        feed.writtenAt = record.state.modified
        feeds[feed.id] = feed
        records[place] = record
    }

    /// Sets fields in the server's own name, and makes or revives the record if need be; null removes one. Equal
    /// fields write nothing. What only the server writes needs no stamp: nobody competes with it.
    mutating func set(_ fields: Fields, of collection: RecordCollection, at place: RecordKey) {
        guard let arrival = arrival(in: place.feed) else { return }
        var state = RecordState(
            fields: [:], stamps: Stamps(common: arrival.stamp), sequence: arrival.sequence, modified: arrival.time)
        if let old = records[place], !old.state.isDeleted {
            if fields.allSatisfy({ old.state.fields[$0.key] ?? .null == $0.value }) { return }
            state.fields = old.state.fields
            state.stamps = old.state.stamps
            for name in fields.keys where Schema[collection]?[name]?.writer != .server {
                state.stamps[name] = arrival.stamp
            }
        }
        for (name, value) in fields { state.fields[name] = value == .null ? nil : value }
        put(StoredRecord(collection: collection, state: state), at: place)
    }

    /// Leaves a tombstone where a record is.
    mutating func remove(_ place: RecordKey) {
        guard let arrival = arrival(in: place.feed), let old = records[place], !old.state.isDeleted else { return }
        put(StoredRecord(collection: old.collection, state: .tombstone(at: arrival)), at: place)
    }

    mutating func setRole(_ role: Role?, of account: AccountID, in list: FeedID) {
        journal.append(.access(list, account, access[list]?[account]))
        access[list, default: [:]][account] = role
    }

    /// Whether somebody more can be asked today.
    var canAsk: Bool { requests < beside.requestsLeft }

    /// Counts a request against the day.
    mutating func countRequest() {
        journal.append(.request)
        requests += 1
    }

    /// Keeps `account`, whom the owner has removed, out of `list` from now on.
    mutating func keepOut(_ account: AccountID, called name: String?, of list: FeedID) {
        journal.append(.removal(list))
        removed[list, default: []].append(RemovedPerson(account: account, name: name, removed: now))
    }

    /// Makes the feed of a new list.
    mutating func open(_ list: FeedID) {
        journal.append(.feed(list, feeds[list]))
        feeds[list] = FeedRow(id: list, kind: .list, writtenAt: now)
    }

    mutating func close(_ list: FeedID) {
        journal.append(.feed(list, feeds[list]))
        feeds[list]?.isClosed = true
    }

    /// Counts bytes that an edit adds to `feed` against its owner's space.
    mutating func countBytes(_ count: Int64, in feed: FeedID) {
        journal.append(.bytes(feed, count))
        beside.room.add(count, in: feed)
    }

    /// Counts the bytes of `list` against the space of its new owner.
    mutating func handOverBytes(of list: FeedID, to heir: AccountID) {
        if let old = beside.room.handOver(list, to: heir) { journal.append(.owner(list, old)) }
    }

    // MARK: Taking back

    /// Sets the mark that ``takeBack()`` returns to.
    mutating func mark() { journal.removeAll(keepingCapacity: true) }

    /// Undoes all changes since the mark: records, access, space, counters and digests.
    mutating func takeBack() {
        while let change = journal.popLast() {
            switch change {
            case .feed(let id, let feed): feeds[id] = feed
            case .access(let list, let account, let role): access[list]?[account] = role
            case .record(let place, let record): records[place] = record
            case .request: requests -= 1
            case .removal(let list): removed[list]?.removeLast()
            case .bytes(let feed, let count): beside.room.add(-count, in: feed)
            case .owner(let list, let account): _ = beside.room.handOver(list, to: account)
            }
        }
    }

    // MARK: The difference

    /// The feeds that have got new sequences.
    var moved: Set<FeedID> {
        Set(feeds.values.filter { $0.sequence != before.feeds[$0.id]?.sequence }.map(\.id))
    }

    /// The records that are not as they were read, and how they were.
    var changes: [(place: RecordKey, old: StoredRecord?, new: StoredRecord)] {
        records.filter { before.records[$0.key] != $0.value }.sorted { $0.key < $1.key }
            .map { ($0.key, before.records[$0.key], $0.value) }
    }

    /// Writes the difference to what was read, in the name of whoever asked. How many statements that takes does not
    /// depend on how much it is.
    func write(in transaction: any Transaction) throws {
        let changes = changes.map { (place: $0.place, old: $0.old, new: $0.new, text: $0.new.text) }
        var feeds = feeds
        for change in changes {
            let bytes = change.new.state.isDeleted ? 0 : Int64(change.text.utf8.count)
            feeds[change.place.feed]?.bytes += bytes - (change.old?.state.bytes ?? 0)
        }
        let changed = feeds.values.filter { before.feeds[$0.id] != $0 }.sorted { $0.id < $1.id }
        try FeedRow.insert(changed.filter { before.feeds[$0.id] == nil }, in: transaction)
        try FeedRow.update(changed.filter { before.feeds[$0.id] != nil }, in: transaction)
        try StoredRecord.write(changes.map { ($0.place, $0.new, $0.text) }, in: transaction)

        for (place, old, new, _) in changes where place.record == Profile.id {
            try ProfileIndex.update(
                place.feed.retyped(), from: old?.state.fields ?? [:], to: new.state.fields, at: now, in: transaction)
        }
        // Whoever has the person among their contacts hears of it from the background.
        try ProfileFanout.begin(
            changes.filter { $0.place.record == Profile.id }.map { $0.place.feed.retyped() }, at: now, in: transaction)

        var granted: [[SQLValue]] = []
        var withdrawn: [[SQLValue]] = []
        for list in access.keys.sorted() {
            let (old, new) = (before.access[list] ?? [:], access[list] ?? [:])
            for account in Set(old.keys).union(new.keys).sorted() where old[account] != new[account] {
                let key: [SQLValue] = [.id(account), .id(list)]
                if let role = new[account] {
                    granted.append(key + [.text(role.rawValue)])
                } else {
                    withdrawn.append(key)
                }
            }
        }
        try transaction.insert(
            into: "access", ["account", "feed", "role"], granted, replacing: ["account", "feed"])
        try transaction.execute(
            wanted: ["account", "feed"], withdrawn,
            "DELETE FROM access WHERE (account, feed) IN (SELECT account, feed FROM wanted)")

        if requests > 0, let account {
            _ = try Self.requestQuota.take(requests, by: account, at: now, in: transaction)
        }

        try RemovedRows.add(removed.filter { !$0.value.isEmpty }, in: transaction)
        let closed = changed.filter(\.isClosed)
        for table in ["link", "removed"] {
            try transaction.execute(
                wanted: ["list"], closed.map { [.id($0.id)] },
                "DELETE FROM \(table) WHERE list IN (SELECT list FROM wanted)")
        }
    }
}
