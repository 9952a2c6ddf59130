import KithModel

/// One kind of record in the account's own feed, such as an invitation.
protocol OwnRecord: Hashable, Sendable {
    /// The fields of the records.
    static var schema: Schema { get }

    var id: RecordID<Self> { get }

    /// When it happened; nil if the id says when the record was made. An id from the app says nothing about the time.
    var happened: Timestamp? { get }

    /// Reads a record; nil if this version cannot.
    init?(id: RecordID<Self>, _ fields: Fields, modified: Timestamp)
}

extension OwnRecord {
    var happened: Timestamp? { nil }

    static var collection: RecordCollection { schema.collection }

    static func recordKey(_ id: RecordID<Self>) -> RecordKey { RecordKey(schema.collection, in: .own, id.retyped()) }

    var recordKey: RecordKey { Self.recordKey(id) }

    init?(_ key: RecordKey, _ record: StoredRecord) {
        self.init(id: key.id.retyped(), record.fields, modified: record.modified)
    }

    /// The records of a store, latest first, without those that this version cannot read.
    static func fetchAll(in store: Store) throws -> [Self] {
        let records = try RecordTable(schema).all(in: store).filter { !$0.1.isRemoved }.reversed()
            .compactMap { Self($0.0, $0.1) }
        let earliest = Timestamp(milliseconds: 0)
        return records.enumerated().sorted { left, right in
            let (leftTime, rightTime) = (left.element.happened ?? earliest, right.element.happened ?? earliest)
            return leftTime == rightTime ? left.offset < right.offset : leftTime > rightTime
        }.map(\.element)
    }

    static func count(in store: Store) throws -> Int {
        try RecordTable(schema).count(in: store)
    }

    static func fetch(_ id: RecordID<Self>, in store: Store) throws -> Self? {
        let key = recordKey(id)
        return try RecordTable(schema).record(at: key, in: store).flatMap { $0.isRemoved ? nil : Self(key, $0) }
    }
}
