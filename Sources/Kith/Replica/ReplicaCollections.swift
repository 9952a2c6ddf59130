import KithModel

/// The collections that a device knows, with the rules of each.
package struct ReplicaCollections: Sendable {
    /// The rules, in the order in which pages are read.
    let all: [any ReplicaRules]
    /// The recorders. Each follows the changes of some of the collections for their observers.
    let recorders: [any ChangeRecorder.Type]
    /// The reported contents. Each compares some of the collections with what was last reported.
    let reported: [any ReportedContent.Type]
    private let byCollection: [RecordCollection: any ReplicaRules]

    init(
        _ all: [any ReplicaRules], recorders: [any ChangeRecorder.Type], reported: [any ReportedContent.Type]
    ) {
        self.all = all
        self.recorders = recorders
        self.reported = reported
        byCollection = Dictionary(uniqueKeysWithValues: all.map { ($0.schema.collection, $0) })
    }

    /// These collections, followed by `rules`.
    package func adding(_ rules: any ReplicaRules...) -> ReplicaCollections {
        ReplicaCollections(all + rules, recorders: recorders, reported: reported)
    }

    /// The rules of `collection`; nil if this version does not know it.
    subscript(collection: RecordCollection) -> (any ReplicaRules)? { byCollection[collection] }

    /// The table of `collection`; nil if this version does not know it.
    func table(of collection: RecordCollection) -> RecordTable? { self[collection].map { RecordTable($0.schema) } }

    /// The tables of all records.
    var tables: [RecordTable] { all.map { RecordTable($0.schema) } }

    /// The tables of the records in an account's own feed, or in the feeds of lists.
    func tables(inOwnFeed isOwn: Bool) -> [RecordTable] {
        tables.filter { ($0.schema.home == .account) == isOwn }
    }
}
