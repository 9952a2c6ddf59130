import KithModel

/// The places of contacts by keys of 64 bits: a sorted array with binary search.
///
/// The keys of words and numbers are built so that all keys with the same beginning are one range. Several contacts can
/// share a key, and a contact can have several keys.
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
        let start = entries.partitionIndex { $0.key >= range.lowerBound }
        let end = entries.partitionIndex { $0.key > range.upperBound }
        return entries[start..<end].lazy.map { Int($0.place) }
    }

    /// The places of one key, in the order of the book.
    func places(of key: UInt64) -> some Sequence<Int> { places(in: key...key) }
}

extension PlaceTable {
    /// The key of a value that is only searched as a whole. The caller must still compare the value.
    static func key(of value: some Hashable) -> UInt64 { UInt64(bitPattern: Int64(value.hashValue)) }

    /// The keys of all words with this beginning. Only its first eight bytes count.
    static func keys(beginningWith word: some Collection<UInt8>) -> ClosedRange<UInt64> {
        var key: UInt64 = 0
        var free: UInt64 = 64
        for byte in word.prefix(8) {
            free -= 8
            key |= UInt64(byte) << free
        }
        return key...(key | (free == 64 ? .max : (1 << free) - 1))
    }

    /// Calls `body` with the key of each word in a folded text.
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
