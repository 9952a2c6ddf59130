import Foundation
import KithModel
import Testing

@Suite("The digest of a feed") struct FeedDigestTests {
    private typealias Pair = (id: RecordID<Never>, sequence: Int64)

    private static func digest(_ pairs: [Pair]) -> FeedDigest {
        var digest = FeedDigest()
        for pair in pairs { digest.add(pair.id, sequence: pair.sequence) }
        return digest
    }

    private static func pairs(_ count: Int, _ random: inout SplitMix64) -> [Pair] {
        (0..<count).map { index in
            (RecordID(UUID(high: random.next(), low: random.next())), Int64(index) + 1)
        }
    }

    @Test("Does not depend on the order", arguments: 0..<20 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pairs = Self.pairs(50, &random)
        #expect(Self.digest(pairs.shuffled(using: &random)) == Self.digest(pairs))
    }

    @Test("The digest that is updated step by step equals the recomputed one", arguments: 0..<20 as Range<UInt64>)
    func incremental(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var pairs = Self.pairs(20, &random)
        var digest = Self.digest(pairs)
        for sequence in 21...120 as ClosedRange<Int64> {
            let index = Int.random(in: pairs.indices, using: &random)
            digest.remove(pairs[index].id, sequence: pairs[index].sequence)
            if pairs.count > 5 && sequence.isMultiple(of: 7) {
                pairs.remove(at: index)
            } else {
                pairs[index].sequence = sequence
                digest.add(pairs[index].id, sequence: sequence)
            }
            #expect(digest == Self.digest(pairs))
        }
    }

    @Test("Distinguishes feeds that differ in one record, one sequence or two exchanged sequences")
    func differences() {
        var random = SplitMix64(seed: 1)
        let pairs = Self.pairs(30, &random)
        var digests: Set<FeedDigest> = [Self.digest(pairs), Self.digest([]), Self.digest(Array(pairs.dropLast()))]
        for index in pairs.indices {
            var other = pairs
            other[index].sequence += 1
            digests.insert(Self.digest(other))
            guard index > 0 else { continue }
            other = pairs
            (other[0].sequence, other[index].sequence) = (other[index].sequence, other[0].sequence)
            digests.insert(Self.digest(other))
        }
        #expect(digests.count == 3 + 30 + 29)
    }

    @Test("Is the same in every version")
    func fixed() {
        var digest = FeedDigest()
        #expect(digest.description == "0000000000000000")
        digest.add(RecordID(uuid(1)), sequence: 1)
        digest.add(RecordID(uuid(2)), sequence: 5)
        #expect(digest.description == "33224339c3e2da5d")
    }

    @Test("Is written with sixteen digits, and can be read again", arguments: [0, 1, 0xABC, .max] as [UInt64])
    func text(bits: UInt64) throws {
        let digest = FeedDigest(bits: bits)
        #expect(digest.description.utf8.count == 16)
        #expect(FeedDigest(digest.description) == digest)
        #expect(try JSONDecoder().decode([FeedDigest].self, from: JSONEncoder().encode([digest])) == [digest])
    }

    @Test(
        "Any other text is not a digest",
        arguments: [
            "", "0", "00000000000000000", "000000000000000g", "+000000000000001", "-000000000000001", "éééééééé",
        ])
    func malformed(text: String) {
        #expect(FeedDigest(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FeedDigest].self, from: JSONEncoder().encode([text]))
        }
    }
}
