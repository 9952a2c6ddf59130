/// Sorts records by index key, then by id, and computes keys to move a record.
package struct Arrangement<Record>: Sendable {
    /// A record and its key; the key is nil if the record has none.
    package typealias Entry = (id: RecordID<Record>, key: IndexKey?)

    private var entries: [Entry]

    /// - Parameter entries: All entries, in any order. Those without a key come last, by id.
    package init(_ entries: [Entry]) {
        self.entries = entries.sorted(by: Self.isOrdered)
    }

    /// Whether `left` comes before `right`: by key, then by id. Entries without a key come last.
    package static func isOrdered(_ left: Entry, _ right: Entry) -> Bool {
        switch (left.key, right.key) {
        case (let first?, let second?) where first != second: first < second
        case (.some, nil): true
        case (nil, .some): false
        default: left.id < right.id
        }
    }

    /// The keys to write so that `id` comes after `predecessor`, or first if `predecessor` is nil.
    ///
    /// If there is room between the neighbours, this is one key. Otherwise the shortest run of entries around the place
    /// gets new keys, and all others keep theirs. The run extends to the nearer end of a series of equal keys, or
    /// begins at the first entry without a key. It is wide enough that its keys need at most half of the maximum
    /// length, so that there is room for further moves to the same place.
    ///
    /// - Returns: nil if `predecessor` is not in the order.
    package func placing(
        _ id: RecordID<Record>, after predecessor: RecordID<Record>?
    ) -> [(RecordID<Record>, IndexKey)]? {
        var order = entries.filter { $0.id != id }
        var index = 0
        if let predecessor {
            guard let found = order.firstIndex(where: { $0.id == predecessor }) else { return nil }
            index = found + 1
        }
        order.insert((id, nil), at: index)
        var run = Self.run(around: index, in: order)
        while true {
            if let keys = Self.keys(for: run, in: order) {
                return zip(order[run], keys).compactMap { entry, key in entry.key == key ? nil : (entry.id, key) }
            }
            // The loop ends at the latest when the run is the whole order, which has room on both sides.
            let more = max(1, run.count / 2)
            run = max(0, run.lowerBound - more)..<min(order.count, run.upperBound + more)
        }
    }

    /// The shortest run around `index` between two different keys.
    private static func run(around index: Int, in order: [Entry]) -> Range<Int> {
        // An entry with a key never comes after one without.
        let start = order[..<index].lastIndex { $0.key != nil }.map { $0 + 1 } ?? 0
        guard start > 0, index + 1 < order.count, let key = order[index + 1].key, order[start - 1].key == key else {
            return start..<index + 1
        }
        let before = order[..<index].reversed().prefix { $0.key == key }.count
        let after = order[(index + 1)...].prefix { $0.key == key }.count
        return before < after ? index - before..<index + 1 : index..<index + 1 + after
    }

    private static func keys(for run: Range<Int>, in order: [Entry]) -> [IndexKey]? {
        IndexKey.keys(
            run.count, after: run.lowerBound > 0 ? order[run.lowerBound - 1].key : nil,
            before: run.upperBound < order.count ? order[run.upperBound].key : nil,
            upTo: run.count == 1 ? Limits.indexKey : Limits.indexKey / 2)
    }
}
