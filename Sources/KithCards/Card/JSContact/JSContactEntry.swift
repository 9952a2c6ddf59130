/// An entry that JSContact keeps in a map.
protocol JSContactEntry: CardEntry {
    /// Its key in the map: its id, but for relations.
    var key: String { get }
    /// Whether JSContact has words for it.
    var isSaid: Bool { get }

    /// An entry that is still to be read, at this place among its like.
    init(key: String, at place: Int)
    /// Reads or writes its fields.
    mutating func exchange(with fields: inout JSFields)
    /// The entries to write: several that JSContact keeps under one key are one.
    static func joined(_ entries: [Self]) -> [Self]
}

extension JSContactEntry {
    var key: String { id }
    var isSaid: Bool { true }

    static func joined(_ entries: [Self]) -> [Self] { entries }
}
