package import GRDB
import KithModel

/// One write to the replica, with its changes and the announcements to observers.
///
/// Changes are relative to the state before the first change of a record, so that observers receive each record once,
/// with its final state.
package final class ReplicaTransaction {
    package let db: Database
    package var account: ReplicaAccount {
        didSet {
            isAccountTouched = true
            digests.account = account.key
        }
    }
    /// Whether the account's row must be saved. An unnecessary save would notify the row's observers.
    private var isAccountTouched = false
    package let dependencies: Dependencies
    let now: Timestamp
    private let timeOfServer: ServerTime
    let origin: ChangeOrigin
    /// Whether removals are stored, so that the last one can be undone after a restart.
    let keepsLastRemoval: Bool
    /// Whether anybody receives the changes. If nobody does, nothing is read or built for observers.
    let hasObservers: Bool

    /// The changed records.
    private(set) var records: [RecordKey: (before: StoredRecord?, after: StoredRecord?)] = [:]
    /// The keys of the changed records, in the order of their first changes.
    private(set) var order: [RecordKey] = []
    /// The digests of the account's feeds.
    var digests: FeedDigests
    /// The effects of the events of sessions in this transaction, with the account of each.
    private(set) var sessionEffects: [(account: AccountID?, effect: SessionMachine.Effect)] = []
    /// The account at the beginning of the transaction.
    let accountBefore: ReplicaAccount
    /// The recorders, which follow the changes for the observers of each subject.
    private let recorders: [any ChangeRecorder]
    /// The server's time of the answer that is applied in this transaction; nil if none is.
    var answerTime: Timestamp? {
        didSet { if let answerTime { timeOfServer.note(answerTime, at: now) } }
    }
    /// The server's time now; nil if no answer has said it yet.
    var serverTime: Timestamp? { timeOfServer.time(at: now) }
    /// Records with edits that the server acknowledges in this transaction.
    var confirmed: Set<RecordKey> = []

    /// The stores that this transaction has switched away from.
    var storesLeft: [StoreKey] = []
    /// Whether the store that was the current one was dropped.
    var isDropped = false
    /// Whether the client is pinned. In that case no other store can become the current one.
    let isPinned: Bool

    init(
        _ db: Database, _ account: ReplicaAccount, _ dependencies: Dependencies, _ timeOfServer: ServerTime,
        isPinned: Bool, origin: ChangeOrigin, hasObservers: Bool, keepsLastRemoval: Bool
    ) {
        self.db = db
        self.account = account
        self.digests = FeedDigests(Store(db, account))
        self.isPinned = isPinned
        self.accountBefore = account
        self.dependencies = dependencies
        self.now = dependencies.now()
        self.timeOfServer = timeOfServer
        self.origin = origin
        self.hasObservers = hasObservers
        self.keepsLastRemoval = keepsLastRemoval
        self.recorders = dependencies.collections.recorders.map { $0.init() }
    }

    var collections: ReplicaCollections { dependencies.collections }
    /// The rows of the account's store.
    package var store: Store { Store(db, account.key) }
    var outbox: Outbox { store.outbox }
    var rejections: Rejections { store.rejections }
    var parked: ParkedRecords { store.parked }

    // MARK: The session

    /// Passes an event to the session of the account. Its effects are carried out after the commit.
    package func handle(_ event: SessionMachine.Event) {
        var random = dependencies.random
        let effects = account.session.handle(event, at: now, using: &random)
        sessionEffects += effects.map { (account.id, $0) }
    }

    /// The change of the session in this transaction; nil if there is none.
    var sessionChange: SessionChange? {
        let (before, after) = (accountBefore.side, account.side)
        guard before != after || isDropped else { return nil }
        return SessionChange(before: before, after: after, isDropped: isDropped)
    }

    // MARK: Records

    func record(_ key: RecordKey) throws -> StoredRecord? {
        if let known = records[key] { return known.after }
        return try collections.table(of: key.collection)?.record(at: key, in: store)
    }

    /// Writes a record as this device shows it; nil deletes it. `isLost` is true if the record may still exist on the
    /// server.
    func put(_ record: StoredRecord?, _ key: RecordKey, isLost: Bool = false) throws {
        try put(record, key, over: self.record(key), isLost: isLost)
    }

    /// Writes a record over its present state, which the caller has just read.
    func put(_ record: StoredRecord?, _ key: RecordKey, over before: StoredRecord?, isLost: Bool = false) throws {
        guard let table = collections.table(of: key.collection) else { return }
        for recorder in recorders { try recorder.willWrite(key, in: self) }
        if records[key] == nil { order.append(key) }
        records[key, default: (before, nil)].after = record
        if let record {
            try table.save(record, at: key, in: store)
        } else {
            try table.delete(key, in: store)
        }
        let write = RecordWrite(before: before, after: record, isLost: isLost)
        for recorder in recorders { try recorder.didWrite(write, key, in: self) }
    }

    /// Writes a record from the server, and updates the feed's digest. nil deletes the record.
    func putFromServer(_ record: StoredRecord?, _ key: RecordKey) throws {
        let before = try self.record(key)
        try digests.change(key.feed) { digest in
            if let before, before.sequence > 0 { digest.remove(key.id, sequence: before.sequence) }
            if let record, record.sequence > 0 { digest.add(key.id, sequence: record.sequence) }
        }
        if before != record { try put(record, key, over: before) }
    }

    /// Writes rows of a page that the replica does not have yet, without a check for existing ones.
    func insert(_ columns: RecordPage.Columns, at indexes: [Int], feed: ReplicaFeed) throws {
        guard let table = collections.table(of: columns.collection), let first = indexes.first else { return }
        let inserted = InsertedRecords(columns: columns, indexes: indexes, feed: feed)
        for recorder in recorders { try recorder.willWrite(inserted.key(at: first), in: self) }
        try table.save(columns, at: indexes, of: feed, in: store)
        try digests.change(feed) { digest in
            for index in indexes { digest.add(columns.id(at: index), sequence: columns.sequences[index]) }
        }
        for recorder in recorders { recorder.didInsert(inserted, in: self) }
    }

    // MARK: Feeds

    /// The feeds of lists that I am not in, except lists that I am about to create.
    func unaccountedFeeds() throws -> [FeedID] {
        let granted = collections.all.filter(\.grantsAccess)
            .map { "SELECT id FROM \(RecordTable($0.schema).name) WHERE account = ?1 AND sequence > 0" }
            .joined(separator: " UNION ")
        return try FeedID.fetchAll(
            db.cachedStatement(
                sql: """
                    \(collections.listTables.map(\.feeds).joined(separator: " UNION "))
                    UNION \(ParkedRecords.listFeeds)
                    EXCEPT \(granted)
                    """),
            arguments: [account.key, ReplicaFeed.own.rowID]
        ).filter { try !isCreating($0) }
    }

    /// Whether I am about to create this feed. If so, nobody else can know it yet.
    func isCreating(_ feed: FeedID) throws -> Bool {
        guard let first = collections.beginning(of: feed) else { return false }
        return try PendingState.record(base: nil, unsent: outbox.unsent(of: first), by: collections[first.collection])
            != nil
    }

    // MARK: Finishing

    /// Writes the consequences of the changes, and returns what observers receive.
    func finish() throws -> [Announcement] {
        try digests.save()
        for recorder in recorders { try recorder.writeConsequences(in: self) }
        if isAccountTouched { try account.save(db) }
        guard hasObservers else { return [] }
        let announced = try recorders.map { try $0.announcements(in: self) }
        let wasPopulated = accountBefore.isPopulated && accountBefore.key == account.key
        let isPopulated = account.isPopulated && !wasPopulated
        return announced.flatMap(\.own) + announced.flatMap(\.others) + (isPopulated ? [.populated] : [])
    }

    /// Lets the recorders note the visible content, before another account becomes the current one.
    func willSwitch() throws {
        if hasObservers { for recorder in recorders { try recorder.willSwitch(in: self) } }
    }

    /// Lets the recorders compare the noted content with that of the new account.
    func didSwitch() throws {
        if hasObservers { for recorder in recorders { try recorder.didSwitch(in: self) } }
    }

    /// A changed record before and after the transaction; nil where it is removed or does not exist.
    func shown(_ key: RecordKey) -> (before: StoredRecord?, after: StoredRecord?)? {
        records[key].map { record in
            (record.before.flatMap { $0.isRemoved ? nil : $0 }, record.after.flatMap { $0.isRemoved ? nil : $0 })
        }
    }

    /// The recorder of one subject; nil if ``ReplicaCollections`` does not list it.
    func recorder<Recorder: ChangeRecorder>(_ type: Recorder.Type = Recorder.self) -> Recorder? {
        recorders.lazy.compactMap { $0 as? Recorder }.first
    }
}
