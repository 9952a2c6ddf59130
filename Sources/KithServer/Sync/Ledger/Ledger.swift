import KithModel

/// The feeds, access and records that a transaction has read, with the changes that it is about to write.
///
/// The ledger is a value. Every consequence of a mutation is first written here, and can be undone back to the last
/// savepoint. At the end, the difference to what was read is written to the database in bulk.
package struct Ledger: Sendable {
    /// The server's time.
    let now: Timestamp
    /// The caller; nil for the server itself.
    let account: AccountID?
    /// The collections whose rules apply.
    let collections: Collections
    /// The tag of the writing device, for the stamps; 0 for none.
    let device: Int64
    /// What is known besides feeds, access and records.
    private(set) var known: KnownFacts
    private(set) var feeds: [FeedID: FeedRow]
    private(set) var access: [FeedID: [AccountID: Role]]
    private(set) var records: [RecordPlace: RecordRow]
    private let before:
        (feeds: [FeedID: FeedRow], access: [FeedID: [AccountID: Role]], records: [RecordPlace: RecordRow])
    /// The owners of the lists, as they were read.
    private let owners: [FeedID: AccountID]
    private var journal: [Change] = []

    private enum Change {
        case feed(FeedID, FeedRow?)
        case access(FeedID, AccountID, Role?)
        case record(RecordPlace, RecordRow?)
        case facts(FactStore)
        case bytes(FeedID, Int64)
        case owner(FeedID, AccountID)
    }

    init(
        _ collections: Collections, now: Timestamp, account: AccountID?, device: Int64, feeds: [FeedRow],
        owners: [FeedID: AccountID], access: [FeedID: [AccountID: Role]], records: [RecordPlace: RecordRow],
        known: KnownFacts
    ) {
        self.collections = collections
        self.now = now
        self.account = account
        self.device = device
        self.feeds = Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0) })
        self.access = access
        self.records = records
        self.known = known
        self.before = (self.feeds, access, records)
        self.owners = owners
    }

    /// Reads and locks the required data. `account` is the caller; nil for the server itself.
    static func open(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, in transaction: any Transaction
    ) throws -> Ledger {
        try LedgerReader(needs: needs, account: account, now: now, transaction: transaction).ask().value()
    }

    // MARK: Reading

    func role(of account: AccountID, in feed: FeedID) -> Role? { access[feed]?[account] }

    /// The record at `place`, if it is not deleted.
    func live(_ place: RecordPlace) -> RecordRow? { records[place].flatMap { $0.state.isDeleted ? nil : $0 } }

    /// The number of feeds that `account` has gained access to, less those that it has lost.
    func gained(by account: AccountID) -> Int64 {
        access.reduce(0 as Int64) { count, feed in
            count + (feed.value[account] != nil ? 1 : 0) - (before.access[feed.key]?[account] != nil ? 1 : 0)
        }
    }

    /// The number of records of a collection that did not exist before.
    func created(_ collection: RecordCollection) -> Int {
        records.count { place, record in
            record.collection == collection && !record.state.isDeleted && before.records[place]?.state.isDeleted ?? true
        }
    }

    /// The people of a list, in the order of their ids.
    func people(of list: FeedID) -> [AccountID] { (access[list] ?? [:]).keys.sorted() }

    /// The stamp of the next change in `feed`; nil if the feed was not read.
    func arrival(in feed: FeedID) -> Stamp? {
        feeds[feed].map { Stamp(time: max(now, $0.writtenAt), sequence: $0.sequence + 1, device: device) }
    }

    /// Whether the effect of a mutation on the record depends on what its device had seen.
    func dependsOnSeen(_ mutation: Mutation) -> Bool {
        guard let record = live(RecordPlace(mutation.feed, mutation.record)), let arrival = arrival(in: mutation.feed)
        else { return false }
        return Merge.dependsOnSeen(mutation, on: record.state, at: arrival)
    }

    // MARK: Writing

    /// Writes a record whose state has the feed's next sequence.
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
        collections[record.collection]?.waits(record.state) ?? false
    }

    /// Sets fields on behalf of the server, and creates or revives the record if necessary; null removes a field. Equal
    /// fields write nothing. Fields that only the server writes need no stamp, because nobody else writes them.
    mutating func set(_ fields: Fields, of collection: RecordCollection, at place: RecordPlace) {
        guard let arrival = arrival(in: place.feed) else { return }
        var state = RecordState(
            fields: [:], stamps: Stamps(common: arrival), sequence: arrival.sequence, modified: arrival.time)
        if let old = records[place], !old.state.isDeleted {
            if fields.allSatisfy({ old.state.fields[$0.key] ?? .null == $0.value }) { return }
            state.fields = old.state.fields
            state.stamps = old.state.stamps
            for name in fields.keys where collections[collection]?.schema[name]?.writer != .server {
                state.stamps[name] = arrival
            }
        }
        for (name, value) in fields { state.fields[name] = value == .null ? nil : value }
        put(RecordRow(collection: collection, state: state), at: place)
    }

    /// Replaces a record by a tombstone.
    mutating func remove(_ place: RecordPlace) {
        guard let arrival = arrival(in: place.feed), let old = records[place], !old.state.isDeleted else { return }
        put(RecordRow(collection: old.collection, state: .tombstone(at: arrival)), at: place)
    }

    mutating func setRole(_ role: Role?, of account: AccountID, in list: FeedID) {
        journal.append(.access(list, account, access[list]?[account]))
        access[list, default: [:]][account] = role
    }

    /// What the rules of one collection know. A change can be undone like every other.
    package subscript<Facts: LedgerFacts>(type: Facts.Type) -> Facts {
        get { known[type] }
        set {
            journal.append(.facts(known.ofCollections))
            known[type] = newValue
        }
    }

    /// Creates the feed of a new list.
    mutating func createFeed(of list: FeedID) {
        journal.append(.feed(list, feeds[list]))
        feeds[list] = FeedRow(id: list, kind: .list, writtenAt: now)
    }

    /// Closes the feed of a deleted list.
    mutating func closeFeed(of list: FeedID) {
        journal.append(.feed(list, feeds[list]))
        feeds[list]?.isClosed = true
    }

    /// Counts bytes that an edit adds to `feed` toward its owner's storage.
    mutating func countBytes(_ count: Int64, in feed: FeedID) {
        journal.append(.bytes(feed, count))
        known.room.add(count, in: feed)
    }

    /// Counts the bytes of `list` toward the storage of its new owner.
    mutating func handOverBytes(of list: FeedID, to heir: AccountID) {
        if let old = known.room.handOver(list, to: heir) { journal.append(.owner(list, old)) }
    }

    // MARK: Undoing

    /// Sets the savepoint that ``rollBack()`` returns to.
    mutating func setSavepoint() { journal.removeAll(keepingCapacity: true) }

    /// Undoes all changes since the savepoint: records, access, space, facts and digests.
    mutating func rollBack() {
        while let change = journal.popLast() {
            switch change {
            case .feed(let id, let feed): feeds[id] = feed
            case .access(let list, let account, let role): access[list]?[account] = role
            case .record(let place, let record): records[place] = record
            case .facts(let facts): known.ofCollections = facts
            case .bytes(let feed, let count): known.room.add(-count, in: feed)
            case .owner(let list, let account): _ = known.room.handOver(list, to: account)
            }
        }
    }

    // MARK: The difference

    /// The feeds with new sequences.
    var moved: Set<FeedID> {
        Set(feeds.values.filter { $0.sequence != before.feeds[$0.id]?.sequence }.map(\.id))
    }

    /// The sequence that a feed had before the changes.
    func sequenceBefore(_ feed: FeedID) -> Int64? { before.feeds[feed]?.sequence }

    /// The changed records, with their states before and after.
    var differences: [RecordDifference] {
        // Each write gives a record another sequence.
        let changed = records.compactMap { place, record -> RecordDifference? in
            let old = before.records[place]
            let isSame = old?.state.sequence == record.state.sequence
            return isSame ? nil : RecordDifference(place: place, old: old, new: record)
        }
        return changed.sorted { $0.place < $1.place }
    }

    /// The feeds that were closed in this transaction. A feed that was already closed does not change.
    var closed: [FeedRow] {
        feeds.values.filter { $0.isClosed && before.feeds[$0.id] != $0 }.sorted { $0.id < $1.id }
    }

    /// Writes the difference to what was read, on behalf of the caller.
    ///
    /// - Returns: The signals of the changes, to send once they are committed.
    func write(in transaction: any Transaction) throws -> Signals { try write(at: nil, in: transaction).signals }

    /// Writes the difference to what was read, on behalf of the caller. The number of statements does not depend on the
    /// number of changes.
    ///
    /// `asked` is the revision, if ``Revision/askNext(in:)`` has asked for it.
    ///
    /// - Returns: The signals of the changes, to send once they are committed, and the revision of the changes; zero if no
    ///   feed has changed.
    func write(
        at asked: Pending<Revision>?, in transaction: any Transaction
    ) throws -> (signals: Signals, revision: Revision) {
        let differences = differences
        // These come first, because they may wait for rows of others. Where commits are counted, every writer waits for
        // the counter, so the transaction that has it waits for nothing.
        let byCollection = Dictionary(grouping: differences, by: \.new.collection)
        for rules in collections.all {
            guard let own = byCollection[rules.schema.collection] else { continue }
            try rules.write(own, of: self, in: transaction)
        }
        var feeds = feeds
        for one in differences { feeds[one.place.feed]?.bytes += one.new.bytes - (one.old?.bytes ?? 0) }
        let accessDifference = AccessDifference(from: before.access, to: access)
        try StorageUse.add(blockChanges(to: feeds), in: transaction)
        let news = moved.union(accessDifference.lists.filter { feeds[$0] != nil })
        var revision = Revision.zero
        if !news.isEmpty {
            revision = try asked?.value() ?? Revision.next(changing: news.count, in: transaction)
            for feed in news { feeds[feed]?.revision = revision }
        }
        let changed = feeds.values.filter { before.feeds[$0.id] != $0 }.sorted { $0.id < $1.id }
        try FeedRow.insert(changed.filter { before.feeds[$0.id] == nil }, in: transaction)
        try FeedRow.update(changed.filter { before.feeds[$0.id] != nil }, in: transaction)
        try RecordRow.write(differences, at: revision, in: transaction)
        try accessDifference.write(at: revision, in: transaction)
        return (signals(of: differences), revision)
    }

    /// The signals of these changes, and of the feeds that have moved.
    private func signals(of differences: [RecordDifference]) -> Signals {
        var signals = Signals(moved: moved)
        for one in differences { collections[one.new.collection]?.addSignals(of: one, to: &signals) }
        return signals
    }

    /// The blocks of ``StorageUse`` that each owner gains or loses by the new states of the feeds.
    private func blockChanges(to feeds: [FeedID: FeedRow]) -> [AccountID: Int64] {
        var changes: [AccountID: Int64] = [:]
        for feed in feeds.values {
            let own: AccountID = feed.id.retyped()
            let old = feed.kind == .account ? own : owners[feed.id]
            let new = feed.kind == .account ? own : owner(of: feed.id)
            if let old, let row = before.feeds[feed.id] { changes[old, default: 0] -= StorageUse.blocks(row.bytes) }
            if let new { changes[new, default: 0] += StorageUse.blocks(feed.bytes) }
        }
        return changes
    }

    /// The owner of a list. If the owner's access was not read, it has not changed.
    private func owner(of list: FeedID) -> AccountID? {
        if let owner = access[list]?.first(where: { $0.value == .owner })?.key { return owner }
        return owners[list].flatMap { before.access[list]?[$0] == nil ? $0 : nil }
    }
}
