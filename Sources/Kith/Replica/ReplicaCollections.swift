import KithModel

/// The collections that a device knows, with the rules of each.
package struct ReplicaCollections: Sendable {
    /// The rules, in the order in which pages are read.
    let all: [any ReplicaRules]
    /// The recorders. Each follows the changes of some of the collections for their observers.
    let recorders: [any ChangeRecorder.Type]
    /// The reported contents. Each compares some of the collections with what was last reported.
    let reported: [any ReportedContent.Type]
    /// The tables of all records, in the order of ``all``.
    let tables: [RecordTable]
    /// The tables of the records in an account's own feed.
    private let ownTables: [RecordTable]
    /// The tables of the records in the feeds of lists.
    let listTables: [RecordTable]
    private let byCollection: [RecordCollection: any ReplicaRules]
    private let tableByCollection: [RecordCollection: RecordTable]

    init(
        _ all: [any ReplicaRules], recorders: [any ChangeRecorder.Type], reported: [any ReportedContent.Type]
    ) {
        self.all = all
        self.recorders = recorders
        self.reported = reported
        tables = all.map { RecordTable($0.schema) }
        ownTables = tables.filter { $0.schema.home == .account }
        listTables = tables.filter { $0.schema.home == .list }
        byCollection = Dictionary(uniqueKeysWithValues: all.map { ($0.schema.collection, $0) })
        tableByCollection = Dictionary(uniqueKeysWithValues: tables.map { ($0.schema.collection, $0) })
    }

    /// These collections, followed by `rules`.
    package func adding(_ rules: any ReplicaRules...) -> ReplicaCollections {
        ReplicaCollections(all + rules, recorders: recorders, reported: reported)
    }

    /// The rules of `collection`; nil if this version does not know it.
    subscript(collection: RecordCollection) -> (any ReplicaRules)? { byCollection[collection] }

    /// The tables that every start reads, to detect damage.
    var tablesOfStart: [String] {
        ["account", "mutation", "feed"] + all.filter(\.schema.createsFeed).map { RecordTable($0.schema).name }
    }

    /// The record that a feed begins with. It has the feed's id.
    func beginning(of feed: FeedID) -> RecordKey? {
        all.first { $0.schema.createsFeed }.map { RecordKey($0.schema.collection, in: .ofList(feed), feed.retyped()) }
    }

    /// The record in the account's own feed that grants access to another feed. It has the feed's id.
    func access(to feed: FeedID) -> RecordKey? {
        all.first(where: \.grantsAccess).map { RecordKey($0.schema.collection, in: .own, feed.retyped()) }
    }

    /// How many records of each kind a store has that its user could miss. Kinds without any are left out.
    func content(of reading: ReplicaReading) throws -> [RecordCollection: Int] {
        let store = reading.store
        var counts = try store.parked.counts()
        for (rules, table) in zip(all, tables) {
            switch rules.content {
            case .records: counts[rules.schema.collection] = try table.count(in: store)
            case .nothing: break
            case .some(let count): counts[rules.schema.collection] = try count(reading)
            }
        }
        return counts.filter { $0.value > 0 }
    }

    /// The feed that a record belongs to or grants access to; nil if it is about no feed but the account's own.
    func feed(of key: RecordKey) -> FeedID? { key.feed.id ?? self[key.collection]?.feedLost(with: key) }

    /// How edits of `collection` fold.
    func folding(of collection: RecordCollection) -> FoldingRules { self[collection]?.folding ?? FoldingRules() }

    /// The table of `collection`; nil if this version does not know it.
    func table(of collection: RecordCollection) -> RecordTable? { tableByCollection[collection] }

    /// The tables of the records in a feed.
    func tables(of feed: ReplicaFeed) -> [RecordTable] { feed == .own ? ownTables : listTables }
}
