/// Places of the book in the order in which they are shown, each once, and no more of them than are wanted.
struct Ranking {
    private(set) var places: [Int] = []
    private var taken: PlaceSet
    private let limit: Int

    /// No place yet, of `count`.
    init(count: Int, limit: Int) { (taken, self.limit) = (PlaceSet(count: count), limit) }

    /// Whether as many are taken as are wanted.
    var isFull: Bool { places.count >= limit }

    /// Takes some places, in the order of the book, behind those that are taken already.
    mutating func take(_ others: PlaceSet, where isWanted: (Int) -> Bool = { _ in true }) {
        if isFull { return }
        let next = others.first(limit - places.count) { !taken.contains($0) && isWanted($0) }
        taken.insert(next)
        places += next
    }
}
