/// The places of found contacts in the order in which they are shown, without duplicates, up to a limit.
struct Ranking {
    private(set) var places: [Int] = []
    private var taken: PlaceSet
    private let limit: Int

    /// An empty ranking of `count` places.
    init(count: Int, limit: Int) { (taken, self.limit) = (PlaceSet(count: count), limit) }

    /// Whether the limit is reached.
    var isFull: Bool { places.count >= limit }

    /// Adds places after those that are already ranked.
    mutating func take(_ others: PlaceSet, where isWanted: (Int) -> Bool = { _ in true }) {
        if isFull { return }
        let next = others.first(limit - places.count) { !taken.contains($0) && isWanted($0) }
        taken.insert(next)
        places += next
    }
}
