import KithModel
import Testing

@Suite("Index keys") struct IndexKeyTests {
    @Test("A key is read from its text, and no other text gives the same key", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let numbers = Self.numbers(&random)
        let text = numbers.map(Written.text).joined()
        let key = try #require(IndexKey(text))
        #expect(key.text == text)
        #expect(key.description == text)
        #expect(IndexKey(text) == key)
    }

    @Test("Keys have the order of their sequences of numbers", arguments: 0..<400 as Range<UInt64>)
    func order(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let left = Self.numbers(&random)
        var right = Self.numbers(&random)
        // Often alike at the start, so that the later numbers decide.
        if Bool.random(using: &random) { right = left.prefix(.random(in: 0...left.count, using: &random)) + right }
        let keys = try [left, right].map { try #require(IndexKey($0.map(Written.text).joined())) }
        #expect((keys[0] < keys[1]) == left.lexicographicallyPrecedes(right))
        #expect((keys[0] == keys[1]) == (left == right))
        #expect((keys[0] < keys[1]) == (keys[0].text < keys[1].text), "ASCII sorts alike everywhere")
    }

    @Test("Between two keys is strictly between them", arguments: 0..<600 as Range<UInt64>)
    func between(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let left = Self.numbers(&random)
        var right = Self.numbers(&random)
        if Bool.random(using: &random) { right = left.prefix(.random(in: 0...left.count, using: &random)) + right }
        let keys = try [left, right].map { try #require(IndexKey($0.map(Written.text).joined())) }.sorted()
        guard keys[0] != keys[1] else { return }
        // Only below the least number of all is no room, and what counts up from 0 does not come there.
        let key = try #require(IndexKey.between(keys[0], keys[1]))
        #expect(keys[0] < key && key < keys[1])
        let after = try #require(IndexKey.between(keys[1], nil))
        #expect(keys[1] < after)
        let before = try #require(IndexKey.between(nil, keys[0]))
        #expect(before < keys[0])
        for made in [key, after, before] { #expect(IndexKey(made.text) == made) }
    }

    @Test("There is no key between equal keys or keys in the wrong order")
    func nothingBetween() throws {
        let (low, high) = (try #require(IndexKey("a0")), try #require(IndexKey("a0a0")))
        #expect(IndexKey.between(low, low) == nil)
        #expect(IndexKey.between(high, low) == nil)
        #expect(IndexKey.between(IndexKey("a5"), IndexKey("a3")) == nil)
        #expect(IndexKey.between(nil, nil) == .first)
    }

    @Test("Trap: There is no room after the greatest key and before the least")
    func extremes() throws {
        let greatest = try #require(IndexKey("j" + String(repeating: "z", count: 10)))
        var last = greatest
        for _ in 0..<100 {
            let next = try #require(IndexKey.between(last, nil))
            #expect(last < next)
            #expect(IndexKey(next.text) == next)
            last = next
        }
        let inner = try #require(IndexKey.between(greatest, IndexKey(greatest.text + greatest.text)))
        #expect(IndexKey(inner.text) == inner)

        let least = try #require(IndexKey("Q" + String(repeating: "0", count: 10)))
        #expect(IndexKey.between(nil, least) == nil)
        #expect(IndexKey.between(nil, IndexKey(least.text + "a0")) == least)
        #expect(IndexKey.between(least, IndexKey(least.text + least.text)) == nil)
        #expect(IndexKey.between(least, IndexKey(least.text + least.text + "a0"))?.text == least.text + least.text)
    }

    @Test(
        "Malformed texts are not keys",
        arguments: [
            "", "a", "b0", "a0b1", "0", "a-", "a0 ", "k00000000000", "P00000000000", "é", "a0é", "a\0",
            "b01",  // 1 is written a1
            "c0zz",  // a leading zero
            "Yz0",  // -1 is written Zz
            "Xz00",
        ])
    func malformed(text: String) {
        #expect(IndexKey(text) == nil)
    }

    @Test("A key is within its limit")
    func limit() {
        #expect(IndexKey(String(repeating: "a0", count: Limits.indexKey / 2)) != nil)
        #expect(IndexKey(String(repeating: "a0", count: Limits.indexKey / 2 + 1)) == nil)
    }

    @Test("A spread is in order and short")
    func spread() {
        let keys = IndexKey.spread(10_000)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        #expect(keys.map(\.text.utf8.count).max() == 4)
        #expect(IndexKey.spread(0).isEmpty)
    }

    private static func numbers(_ random: inout SplitMix64) -> [Int] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let magnitude = Int(random.next() >> UInt64.random(in: 5...63, using: &random)) % 800_000_000_000_000_000
            return Bool.random(using: &random) ? magnitude : -magnitude
        }
    }
}

/// How a key's numbers are written, said a second time: what `IndexKey` must agree with.
enum Written {
    static func text(_ number: Int) -> String {
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var rest = number < 0 ? -1 - number : number
        var written = ""
        while written.isEmpty || rest > 0 {
            written = String(digits[number < 0 ? 61 - rest % 62 : rest % 62]) + written
            rest /= 62
        }
        let heads = Array(number < 0 ? "ZYXWVUTSRQ" : "abcdefghij")
        return String(heads[written.count - 1]) + written
    }
}
