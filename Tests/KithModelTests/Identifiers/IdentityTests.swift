import Foundation
import KithModel
import Testing

@Suite("Identities") struct IdentityTests {
    @Test("A new UUID has version 7, the variant of RFC 9562, and its time", arguments: 0..<50 as Range<UInt64>)
    func version7(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let time = Timestamp(milliseconds: .random(in: 0..<(1 << 48), using: &random))
        let uuid = UUID.version7(time: time, using: &random)
        #expect(uuid.uuid.6 >> 4 == 7)
        #expect(uuid.uuid.8 >> 6 == 0b10)
        #expect(uuid.halves.high >> 16 == UInt64(time.milliseconds))
    }

    @Test("The same seed gives the same UUID, and the bits of RFC 9562, appendix A.6, give that UUID")
    func fixed() {
        struct Drawn: RandomNumberGenerator {
            var bits: [UInt64] = [0xCC3, 0x18C4_DC0C_0C07_398F]
            mutating func next() -> UInt64 { bits.removeFirst() }
        }
        var random = Drawn()
        let uuid = UUID.version7(time: Timestamp(milliseconds: 0x017F_22E2_79B0), using: &random)
        #expect(uuid.text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test("UUIDs sort by the time they were made, as bytes and as texts")
    func sorted() {
        var random = SplitMix64(seed: 7)
        let ids = (0..<200).map { index in
            RecordID<ListItem>(.version7(time: Timestamp(milliseconds: 1_700_000_000_000 + index * 3), using: &random))
        }
        #expect(ids.shuffled(using: &random).sorted() == ids)
        #expect(ids.map(\.description).sorted() == ids.map(\.description))
        #expect(Set(ids).count == ids.count)
    }

    @Test("An identity is the same as text, bytes, halves and JSON", arguments: 0..<50 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let id = RecordID<ListItem>(UUID(high: random.next(), low: random.next()))
        #expect(RecordID(id.description) == id)
        #expect(id.description == id.uuid.uuidString.lowercased())
        #expect(RecordID(id.description.uppercased()) == id)
        #expect(UUID(bytes: id.uuid.data) == id.uuid)
        #expect(UUID(high: id.uuid.halves.high, low: id.uuid.halves.low) == id.uuid)
        #expect(try JSONDecoder().decode([ItemID].self, from: JSONEncoder().encode([id])) == [id])
        #expect(id.retyped(as: Feed.self).uuid == id.uuid)
    }

    @Test(
        "Text that is not a UUID is refused",
        arguments: [
            "", "1", "00000000-0000-7000-8000-00000000000", "00000000-0000-7000-8000-0000000000000",
            "00000000000070008000000000000000", "00000000-0000-7000-8000-00000000000g",
            "{0000000-0000-7000-8000-00000000000}",
        ])
    func malformed(text: String) {
        #expect(ItemID(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ItemID].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test("Fifteen or seventeen bytes are not a UUID")
    func bytes() {
        #expect(UUID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
        #expect(UUID(bytes: [UInt8](repeating: 0, count: 17)) == nil)
    }
}
