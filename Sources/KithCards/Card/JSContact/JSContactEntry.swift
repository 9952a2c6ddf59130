/// An entry that JSContact stores in a map.
protocol JSContactEntry: CardEntry {
    /// Its key in the map: its id, except for relations.
    var key: String { get }
    /// Whether JSContact can express it.
    var isSaid: Bool { get }

    /// An empty entry, to be read: the one at this index of its family.
    init(key: String, at place: Int)
    /// Reads or writes its fields.
    mutating func exchange(with fields: inout JSFields)
    /// The entries to write. Entries with the same key are merged.
    static func joined(_ entries: [Self]) -> [Self]
}

extension JSContactEntry {
    var key: String { id }
    var isSaid: Bool { true }

    static func joined(_ entries: [Self]) -> [Self] { entries }
}
