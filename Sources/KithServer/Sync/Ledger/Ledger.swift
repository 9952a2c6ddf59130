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
    private var feeds: [FeedID: LedgerFeed]
    private(set) var records: [RecordPlace: RecordRow]
    private let recordsBefore: [RecordPlace: RecordRow]
    private var journal: [Change] = []

    private enum Change {
        case feed(FeedRow)
        case newList(FeedID)
        case role(FeedID, AccountID, Role?)
        case record(RecordPlace, RecordRow?)
        case facts(FactStore)
        case bytes(FeedID, Int64)
        case owner(FeedID, AccountID)
    }

    init(
        _ collections: Collections, now: Timestamp, account: AccountID?, device: Int64, feeds: [FeedID: LedgerFeed],
        records: [RecordPlace: RecordRow], known: KnownFacts
    ) {
        self.collections = collections
        self.now = now
        self.account = account
        self.device = device
        self.feeds = feeds
        self.records = records
        self.known = known
        recordsBefore = records
    }

    /// Reads and locks the required data. `account` is the caller; nil for the server itself.
    static func open(
        _ needs: LedgerNeeds, for account: AccountID?, at now: Timestamp, in transaction: any Transaction
    ) throws -> Ledger {
        try LedgerReader(needs: needs, account: account, now: now, transaction: transaction).ask().value()
    }

    // MARK: Reading

    /// A feed with the changes; nil if it does not exist, or was not read.
    func feed(_ id: FeedID) -> FeedRow? { feeds[id]?.row }

    /// The role of an account. It owns its own feed.
    func role(of account: AccountID, in feed: FeedID) -> Role? {
        feed == account.retyped() ? .owner : feeds[feed]?.roles[account]
    }

    /// The record at `place`, if it is not deleted.
    func live(_ place: RecordPlace) -> RecordRow? { records[place].flatMap { $0.state.isDeleted ? nil : $0 } }

    /// The number of feeds that `account` has gained access to, less those that it has lost.
    func gained(by account: AccountID) -> Int64 {
        feeds.values.reduce(0 as Int64) { count, feed in
            count + (feed.roles[account] != nil ? 1 : 0) - (feed.rolesBefore[account] != nil ? 1 : 0)
        }
    }

    /// The number of records of a collection that did not exist before.
    func created(_ collection: RecordCollection) -> Int {
        records.count { place, record in
            record.collection == collection && !record.state.isDeleted && recordsBefore[place]?.state.isDeleted ?? true
        }
    }

    /// The people of a list, in the order of their ids.
    func people(of list: FeedID) -> [AccountID] { (feeds[list]?.roles ?? [:]).keys.sorted() }

    /// The stamp of the next change in `feed`.
    func arrival(in feed: FeedRow) -> Stamp {
        Stamp(time: max(now, feed.writtenAt), sequence: feed.sequence + 1, device: device)
    }

    /// Whether the effect of a mutation on the record depends on what its device had seen.
    func dependsOnSeen(_ mutation: Mutation) -> Bool {
        guard let record = live(RecordPlace(mutation.feed, mutation.record)), let feed = self.feed(mutation.feed)
        else { return false }
        return Merge.dependsOnSeen(mutation, on: record.state, at: arrival(in: feed))
    }

    // MARK: Writing

    /// Writes a record whose state has the feed's next sequence.
    mutating func put(_ record: RecordRow, at place: RecordPlace) {
        guard var feed = self.feed(place.feed) else { return }
        let old = records[place]
        journal.append(.feed(feed))
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
        feed.bytes += record.bytes - (old?.bytes ?? 0)
        feed.sequence = record.state.sequence
        feed.writtenAt = record.state.modified
        feeds[feed.id]?.row = feed
        records[place] = record
    }

    private func waits(_ record: RecordRow) -> Bool {
        collections[record.collection]?.waits(record.state) ?? false
    }

    /// Sets fields on behalf of the server, and creates or revives the record if necessary; null removes a field. Equal
    /// fields write nothing. Fields that only the server writes need no stamp, because nobody else writes them.
    mutating func set(_ fields: Fields, of collection: RecordCollection, at place: RecordPlace) {
        guard let feed = self.feed(place.feed) else { return }
        let arrival = self.arrival(in: feed)
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
        guard let feed = self.feed(place.feed), let old = records[place], !old.state.isDeleted else { return }
        put(RecordRow(collection: old.collection, state: .tombstone(at: arrival(in: feed))), at: place)
    }

    mutating func setRole(_ role: Role?, of account: AccountID, in list: FeedID) {
        journal.append(.role(list, account, feeds[list]?.roles[account]))
        feeds[list]?.roles[account] = role
    }

    /// What the rules of one collection know. A change can be undone like every other.
    package subscript<Facts: LedgerFacts>(type: Facts.Type) -> Facts {
        get { known[type] }
        set {
            journal.append(.facts(known.ofCollections))
            known[type] = newValue
        }
    }

    /// Creates the feed of a new list, and returns it.
    mutating func createFeed(of list: FeedID) -> FeedRow {
        let feed = LedgerFeed(newList: list, at: now)
        journal.append(.newList(list))
        feeds[list] = feed
        return feed.row
    }

    /// Closes the feed of a deleted list.
    mutating func closeFeed(of list: FeedID) {
        guard let feed = self.feed(list) else { return }
        journal.append(.feed(feed))
        feeds[list]?.row.isClosed = true
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
            case .feed(let feed): feeds[feed.id]?.row = feed
            case .newList(let list): feeds[list] = nil
            case .role(let list, let account, let role): feeds[list]?.roles[account] = role
            case .record(let place, let record): records[place] = record
            case .facts(let facts): known.ofCollections = facts
            case .bytes(let feed, let count): known.room.add(-count, in: feed)
            case .owner(let list, let account): _ = known.room.handOver(list, to: account)
            }
        }
    }

    // MARK: The difference

    /// The sequence that a feed had before the changes.
    func sequenceBefore(_ feed: FeedID) -> Int64? { feeds[feed]?.before?.sequence }

    /// The changed records, with their states before and after.
    var differences: [RecordDifference] {
        // Each write gives a record another sequence.
        let changed = records.compactMap { place, record -> RecordDifference? in
            let old = recordsBefore[place]
            let isSame = old?.state.sequence == record.state.sequence
            return isSame ? nil : RecordDifference(place: place, old: old, new: record)
        }
        return changed.sorted { $0.place < $1.place }
    }

    /// The feeds that were closed in this transaction. A feed that was already closed does not change.
    var closed: [FeedRow] {
        feeds.values.filter { $0.row.isClosed && $0.before != $0.row }.map(\.row).sorted { $0.id < $1.id }
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
    /// - Returns: The signals of the changes, to send once they are committed; the revision of the changes, zero if no feed
    ///   has changed; and the changed feeds that the caller can read, nil if one is new or somebody has gained or lost access.
    func write(
        at asked: Pending<Revision>?, in transaction: any Transaction
    ) throws -> (signals: Signals, revision: Revision, feeds: [SelectedFeed]?) {
        let differences = differences
        // These come first, because they may wait for rows of others. Where commits are counted, every writer waits for
        // the counter, so the transaction that has it waits for nothing.
        let byCollection = Dictionary(grouping: differences, by: \.new.collection)
        for rules in collections.inOrder(byCollection.keys) {
            try rules.write(byCollection[rules.schema.collection] ?? [], of: self, in: transaction)
        }
        let accessDifference = AccessDifference(of: feeds.values)
        try StorageUse.add(blockChanges, in: transaction)
        // Rounds learn of a feed that has moved, or that an account can now read, or no longer.
        let isNews = { (feed: LedgerFeed) in feed.hasMoved || accessDifference.lists.contains(feed.row.id) }
        let changed = feeds.values.filter { $0.row != $0.before || isNews($0) }.sorted { $0.row.id < $1.row.id }
        let news = changed.count(where: isNews)
        let revision = try news == 0 ? .zero : asked?.value() ?? Revision.next(changing: news, in: transaction)
        var (new, known): ([FeedRow], [FeedRow]) = ([], [])
        for feed in changed {
            var row = feed.row
            if isNews(feed) { row.revision = revision }
            if feed.before == nil { new.append(row) } else { known.append(row) }
        }
        try FeedRow.insert(new, in: transaction)
        try FeedRow.update(known, in: transaction)
        try RecordRow.write(differences, at: revision, in: transaction)
        try accessDifference.write(at: revision, in: transaction)

        var signals = Signals(moved: Set(changed.lazy.filter(\.hasMoved).map(\.row.id)))
        for one in differences { collections[one.new.collection]?.addSignals(of: one, to: &signals) }
        return (signals, revision, accessDifference.lists.isEmpty ? readable(new, known) : nil)
    }

    /// Those of the changed feeds that the caller can read; nil if one is new.
    private func readable(_ new: [FeedRow], _ known: [FeedRow]) -> [SelectedFeed]? {
        guard let account, !new.contains(where: { role(of: account, in: $0.id) != nil }) else { return nil }
        return known.compactMap { feed in
            guard role(of: account, in: feed.id) != nil, let old = feeds[feed.id]?.before else { return nil }
            return SelectedFeed(feed, after: old)
        }
    }

    /// The blocks of ``StorageUse`` that each owner gains or loses.
    private var blockChanges: [AccountID: Int64] {
        var changes: [AccountID: Int64] = [:]
        for feed in feeds.values {
            let (old, new) = (feed.ownerBefore, feed.owner)
            let had = feed.before.map { StorageUse.blocks($0.bytes) } ?? 0
            let has = StorageUse.blocks(feed.row.bytes)
            if had == has && old == new { continue }
            if let old { changes[old, default: 0] -= had }
            if let new { changes[new, default: 0] += has }
        }
        return changes
    }
}
