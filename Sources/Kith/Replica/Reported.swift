import KithModel

/// The records of one collection, as they were last reported.
struct Reported<Record: Hashable & Sendable>: Sendable {
    private let key: @Sendable (Record) -> RecordKey
    private var records: [RecordKey: Record] = [:]

    init(by key: @escaping @Sendable (Record) -> RecordKey) { self.key = key }

    mutating func note(_ changed: Changed<Record>) {
        for record in changed.added + changed.modified { records[key(record)] = record }
        for record in changed.removed { records[key(record)] = nil }
    }

    /// Forgets records that are not to be reported as removed.
    mutating func forget(where isGone: (Record) -> Bool) { records = records.filter { !isGone($0.value) } }

    /// Replaces the records with those that the database has.
    ///
    /// - Returns: The differences, in the order of `now`; removed records are ordered by their keys.
    mutating func take(_ now: [Record], origin: ChangeOrigin) -> Changed<Record> {
        let before = records.sorted { one, other in
            guard let feed = one.key.feed.id, let otherFeed = other.key.feed.id, feed != otherFeed else {
                return one.key.id < other.key.id
            }
            return feed < otherFeed
        }
        var changed = Changed<Record>(origin: origin)
        for one in Difference.all(before.map(\.value), now, by: key) { changed.add(one.before, one.after) }
        records = Dictionary(uniqueKeysWithValues: now.map { (key($0), $0) })
        return changed
    }
}
