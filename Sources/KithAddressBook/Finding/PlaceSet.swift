/// A set of places: of indexes in the book's contacts.
struct PlaceSet {
    private var words: [UInt64]

    /// A set that can hold `count` places, with these in it.
    init(count: Int, _ places: some Sequence<Int> = EmptyCollection()) {
        words = Array(repeating: 0, count: (count + 63) / 64)
        insert(places)
    }

    mutating func insert(_ places: some Sequence<Int>) {
        for place in places { words[place / 64] |= 1 << UInt64(place % 64) }
    }

    mutating func formIntersection(_ other: PlaceSet) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    func contains(_ place: Int) -> Bool { words[place / 64] & 1 << UInt64(place % 64) != 0 }

    /// The first places of the set, in the order of the book.
    func first(_ limit: Int, where isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
        var places: [Int] = []
        for (index, word) in words.enumerated() where word != 0 {
            var rest = word
            while rest != 0, places.count < limit {
                let place = index * 64 + rest.trailingZeroBitCount
                if isWanted(place) { places.append(place) }
                rest &= rest - 1
            }
        }
        return places
    }
}
