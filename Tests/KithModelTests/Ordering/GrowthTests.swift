import KithModel
import Testing

@Suite("How index keys grow") struct GrowthTests {
    /// Where each of the inserts goes, at one place of an order.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case afterTheLastInserted, beforeTheLastInserted, atTheFront, atTheEnd
        var testDescription: String { rawValue }
    }

    /// The bytes of the longest of `count` keys that were inserted one by one.
    private static func longest(
        of count: Int, at place: Place, between low: IndexKey, and high: IndexKey
    ) throws -> Int {
        var longest = 0
        var (left, right): (IndexKey?, IndexKey?) =
            switch place {
            case .afterTheLastInserted, .beforeTheLastInserted: (low, high)
            case .atTheFront: (nil, low)
            case .atTheEnd: (high, nil)
            }
        for _ in 0..<count {
            let key = try #require(IndexKey.between(left, right))
            guard left.map({ $0 < key }) ?? true, right.map({ key < $0 }) ?? true else {
                Issue.record("\(key) is not between.")
                return .max
            }
            longest = max(longest, key.text.utf8.count)
            switch place {
            case .afterTheLastInserted, .atTheEnd: left = key
            case .beforeTheLastInserted, .atTheFront: right = key
            }
        }
        return longest
    }

    @Test(
        "10,000 inserts at one place, each after or each before the last, stay within 8 bytes",
        arguments: Place.allCases)
    func atOnePlace(place: Place) throws {
        let spread = IndexKey.spread(201)
        for (low, high) in [(spread[0], spread[1]), (spread[99], spread[100])] {
            let bytes = try Self.longest(of: 10_000, at: place, between: low, and: high)
            #expect(bytes <= 8, "\(place): \(bytes) bytes")
        }
    }

    @Test("10,000 inserts at random places stay within 32 bytes", arguments: 0..<2 as Range<UInt64>)
    func atRandom(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var keys = [IndexKey.first]
        for _ in 1..<10_000 {
            let index = Int.random(in: 0...keys.count, using: &random)
            let key = try #require(
                IndexKey.between(index > 0 ? keys[index - 1] : nil, index < keys.count ? keys[index] : nil))
            keys.insert(key, at: index)
        }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        let lengths = keys.map(\.text.utf8.count)
        #expect(lengths.max() ?? .max <= 32, "\(lengths.max() ?? 0) bytes, \(lengths.reduce(0, +)) in all")
    }

    @Test("Always between the last two costs two bytes every second time, and no more")
    func zigZag() throws {
        var (left, right) = (IndexKey.spread(2)[0], IndexKey.spread(2)[1])
        for count in 1...100 {
            let key = try #require(IndexKey.between(left, right))
            #expect(left < key && key < right)
            #expect(key.text.utf8.count <= 4 + count)
            if count.isMultiple(of: 2) { left = key } else { right = key }
        }
    }
}
