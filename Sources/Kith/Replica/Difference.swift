/// One record before and after a change; nil where it does not exist.
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
