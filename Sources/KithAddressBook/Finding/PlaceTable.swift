/// Where contacts stand in the book, by keys of 64 bits: a sorted array, asked by halves.
///
/// Keys that stand for beginnings, of words or of numbers, are made so that all
/// with one beginning lie in one range. Several contacts may have one key, and
/// several keys may stand for one contact.
struct PlaceTable: Sendable {
    struct Entry: Sendable {
        let key: UInt64
        let place: UInt32

        init(_ key: UInt64, _ place: Int) { (self.key, self.place) = (key, UInt32(place)) }
    }

    private let entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries.sorted { $0.key != $1.key ? $0.key < $1.key : $0.place < $1.place }
    }

    /// The places of all keys in a range; within one key in the order of the book.
    func places(in range: ClosedRange<UInt64>) -> some Sequence<Int> {
        let start = firstIndex { $0 >= range.lowerBound }
        let end = firstIndex { $0 > range.upperBound }
        return entries[start..<end].lazy.map { Int($0.place) }
    }

    /// The places of one key, in the order of the book.
    func places(of key: UInt64) -> some Sequence<Int> { places(in: key...key) }

    private func firstIndex(where isReached: (UInt64) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if isReached(entries[middle].key) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension PlaceTable {
    /// The key of a value that is only looked for whole. Who finds its places must still compare.
    static func key(of value: some Hashable) -> UInt64 { UInt64(bitPattern: Int64(value.hashValue)) }

    /// The keys of all words that begin like this; of more than eight bytes only the first eight count.
    static func keys(beginningWith word: some Collection<UInt8>) -> ClosedRange<UInt64> {
        var key: UInt64 = 0
        var free: UInt64 = 64
        for byte in word.prefix(8) {
            free -= 8
            key |= UInt64(byte) << free
        }
        return key...(key | (free == 64 ? .max : (1 << free) - 1))
    }

    /// Calls `body` with the key of each of several folded words.
    static func forEachKey(ofWordsIn folded: ArraySlice<UInt8>, _ body: (UInt64) -> Void) {
        var key: UInt64 = 0
        var free: UInt64 = 64
        for byte in folded {
            if byte == UInt8(ascii: " ") {
                if free < 64 { body(key) }
                (key, free) = (0, 64)
            } else if free > 0 {
                free -= 8
                key |= UInt64(byte) << free
            }
        }
        if free < 64 { body(key) }
    }
}

/// Some places of the book.
struct PlaceSet {
    private var words: [UInt64]

    /// These of `count` places.
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

    /// The first of them, in the order of the book.
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
