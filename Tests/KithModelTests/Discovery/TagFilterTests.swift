import Foundation
import KithModel
import Testing

@Suite("Filters of tags") struct TagFilterTests {
    private static func tags(_ count: Int, _ seed: UInt64) -> [UInt64] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in random.next() }
    }

    private static func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test("a filter has the bytes that the protocol describes") func vectors() throws {
        let tags: [UInt64] = [0, .max, 0x8000_0000_0000_0000, 0x0123_4567_89AB_CDEF]
        let filter = TagFilter(tags, sequence: 17)
        #expect(Self.hex(filter.data) == "4b4446310000000000000011000000040c8004121fb87ffc")
        #expect(try #require(TagFilter(filter.data)) == filter)
        #expect(filter.present(of: tags + [1 << 62]) == Set(tags))
        let empty = TagFilter([], sequence: 3)
        #expect(Self.hex(empty.data) == "4b4446310000000000000003000000000c")
        #expect(try #require(TagFilter(empty.data)).present(of: tags).isEmpty)
    }

    @Test(
        "no tag is missing, about one in 4,096 of the others seems to be present, and a tag needs less than 14 bits",
        arguments: [1, 2, 100, 20_000], [3, 4] as [UInt64])
    func rates(count: Int, seed: UInt64) throws {
        let tags = Self.tags(count, seed)
        let filter = try #require(TagFilter(TagFilter(tags, sequence: 1).data))
        #expect(filter.count == count && filter.sequence == 1)
        #expect(filter.present(of: tags) == Set(tags))
        let others = Self.tags(200_000, seed + 100)
        // 49 are expected; these are five standard deviations. A small filter has fewer different values.
        let present = filter.present(of: others).count
        #expect(count < 100 ? present < 90 : (14...84).contains(present))
        if count >= 100 {
            #expect(filter.data.count * 8 < 14 * count + 200)
            #expect(abs(filter.data.count - TagFilter.size(of: count)) < 40 + count / 50)
        }
    }

    @Test("damaged bytes are refused, or are a filter with the same number of tags") func damaged() throws {
        let filter = TagFilter(Self.tags(500, 5), sequence: 8)
        let data = filter.data
        for size in 0..<data.count { #expect(TagFilter(data.prefix(size)) == nil) }
        #expect(TagFilter(data + Data([0])) == nil)
        #expect(TagFilter(Data("KDF2".utf8) + data.dropFirst(4)) == nil)
        for width: UInt8 in [0, 21, 255] {
            var other = data
            other[16] = width
            #expect(TagFilter(other) == nil)
        }
        var random = SplitMix64(seed: 6)
        for _ in 0..<500 {
            var other = data
            other[Int.random(in: 17..<data.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            guard let read = TagFilter(other) else { continue }
            #expect(read.count == filter.count && read.data == other)
            _ = read.present(of: Self.tags(20, random.next()))
        }
    }

    @Test("a number of tags that the bytes cannot hold is refused before they are read") func bounded() {
        var data = TagFilter(Self.tags(10, 7), sequence: 8).data
        for index in 12..<16 { data[index] = 0xFF }
        #expect(TagFilter(data) == nil)
        // Bytes for many tags, but without a single one.
        #expect(TagFilter(data.prefix(16) + Data([1]) + Data(repeating: 0, count: 1 << 20)) == nil)
    }
}
