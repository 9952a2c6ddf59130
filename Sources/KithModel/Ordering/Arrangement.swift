/// An order of records by index key, ties by id, and how to put one somewhere in it.
public struct Arrangement<Record>: Sendable {
    /// A record and its key; nil if it has none.
    public typealias Entry = (id: RecordID<Record>, key: IndexKey?)

    private var entries: [Entry]

    /// - Parameter entries: All entries, in any order. Those without a key stand last, by id.
    public init(_ entries: [Entry]) {
        self.entries = entries.sorted(by: Self.isOrdered)
    }

    /// Whether `left` stands before `right`: by key, those without one last, ties by id.
    public static func isOrdered(_ left: Entry, _ right: Entry) -> Bool {
        switch (left.key, right.key) {
        case (let first?, let second?) where first != second: first < second
        case (.some, nil): true
        case (nil, .some): false
        default: left.id < right.id
        }
    }

    /// The keys to write so that `id` stands after `predecessor`, or first if that is nil.
    ///
    /// That is one key, unless the neighbours have equal keys, or none, or too
    /// long a one: then the whole order is spread anew.
    ///
    /// - Returns: nil if `predecessor` is not in the order.
    public func placing(
        _ id: RecordID<Record>, after predecessor: RecordID<Record>?
    ) -> [(RecordID<Record>, IndexKey)]? {
        var others = entries.filter { $0.id != id }
        var index = 0
        if let predecessor {
            guard let found = others.firstIndex(where: { $0.id == predecessor }) else { return nil }
            index = found + 1
        }
        let left = index > 0 ? others[index - 1] : nil
        let right = index < others.count ? others[index] : nil
        let neighboursHaveKeys = (left.map { $0.key != nil } ?? true) && (right.map { $0.key != nil } ?? true)
        if neighboursHaveKeys, let key = IndexKey.between(left?.key, right?.key),
            key.text.utf8.count <= Limits.indexKey
        {
            return [(id, key)]
        }
        others.insert((id, nil), at: index)
        return zip(others, IndexKey.spread(others.count)).compactMap { entry, key in
            entry.key == key ? nil : (entry.id, key)
        }
    }
}
