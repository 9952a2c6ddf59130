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
    private(set) var requests = 0
    /// The people that the owners of lists have removed.
    private(set) var removed: [FeedID: [RemovedPerson]] = [:]
    private(set) var feeds: [FeedID: FeedRow]
    private(set) var access: [FeedID: [AccountID: Role]]
    private(set) var records: [RecordPlace: RecordRow]
    private let before:
        (feeds: [FeedID: FeedRow], access: [FeedID: [AccountID: Role]], records: [RecordPlace: RecordRow])
    private var journal: [Change] = []

    /// What decides beside feeds, access and records. Nothing of it is written.
    struct Beside: Sendable {
        /// The lists that a live public link shows.
        var publicLists: Set<FeedID> = []
        /// Of the ids that are claimed for new records, those of accounts: nothing can be made there.
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
        case record(RecordPlace, RecordRow?)
        case request
        case removal(FeedID)
        case bytes(FeedID, Int64)
        case owner(FeedID, AccountID)
    }

    init(
        now: Timestamp, account: AccountID?, device: Int64, feeds: [FeedRow], access: [FeedID: [AccountID: Role]],
        records: [RecordPlace: RecordRow], beside: Beside
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
    func live(_ place: RecordPlace) -> RecordRow? { records[place].flatMap { $0.state.isDeleted ? nil : $0 } }

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
    mutating func put(_ record: RecordRow, at place: RecordPlace) {
        guard var feed = feeds[place.feed] else { return }
        let old = records[place]
        journal.append(.feed(feed.id, feed))
        journal.append(.record(place, old))
        if let old, !old.state.isDeleted {
            feed.digest.remove(place.record, sequence: old.state.sequence)
            feed.live -= 1
            if waits(old) { feed.waiting -= 1 }
        }
        if !record.state.isDeleted {
            feed.digest.add(place.record, sequence: record.state.sequence)
            feed.live += 1
            if waits(record) { feed.waiting += 1 }
        }
        feed.sequence = record.state.sequence
        feed.writtenAt = record.state.modified
        feeds[feed.id] = feed
        records[place] = record
    }

    private func waits(_ record: RecordRow) -> Bool {
        Collections[record.collection]?.waits(record.state) ?? false
    }

    /// Sets fields in the server's own name, and makes or revives the record if need be; null removes one. Equal
    /// fields write nothing. What only the server writes needs no stamp: nobody competes with it.
    mutating func set(_ fields: Fields, of collection: RecordCollection, at place: RecordPlace) {
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
        put(RecordRow(collection: collection, state: state), at: place)
    }

    /// Leaves a tombstone where a record is.
    mutating func remove(_ place: RecordPlace) {
        guard let arrival = arrival(in: place.feed), let old = records[place], !old.state.isDeleted else { return }
        put(RecordRow(collection: old.collection, state: .tombstone(at: arrival)), at: place)
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

    /// Keeps `account`, which the owner has removed, out of `list` from now on.
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
    var differences: [RecordDifference] {
        records.filter { before.records[$0.key] != $0.value }.sorted { $0.key < $1.key }
            .map { RecordDifference(place: $0.key, old: before.records[$0.key], new: $0.value) }
    }

    /// The feeds that are closed now. One that was closed before does not change.
    var closed: [FeedRow] {
        feeds.values.filter { $0.isClosed && before.feeds[$0.id] != $0 }.sorted { $0.id < $1.id }
    }

    /// Writes the difference to what was read, in the name of whoever asked. How many statements that takes does not
    /// depend on how much it is.
    func write(in transaction: any Transaction) throws {
        let differences = differences
        let texts = differences.map(\.new.text)
        var feeds = feeds
        for (one, text) in zip(differences, texts) {
            let bytes = one.new.state.isDeleted ? 0 : Int64(text.utf8.count)
            feeds[one.place.feed]?.bytes += bytes - (one.old?.state.bytes ?? 0)
        }
        let changed = feeds.values.filter { before.feeds[$0.id] != $0 }.sorted { $0.id < $1.id }
        try FeedRow.insert(changed.filter { before.feeds[$0.id] == nil }, in: transaction)
        try FeedRow.update(changed.filter { before.feeds[$0.id] != nil }, in: transaction)
        try RecordRow.write(zip(differences, texts).map { ($0.place, $0.new, $1) }, in: transaction)
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

        let byCollection = Dictionary(grouping: differences, by: \.new.collection)
        for rules in Collections.all {
            try rules.write(byCollection[rules.schema.collection] ?? [], of: self, in: transaction)
        }
    }
}
