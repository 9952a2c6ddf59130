import Foundation
import KithModel
import Testing

@Suite("Identities and times") struct IdentityTests {
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

    @Test("A time is the same as a date and back, to the millisecond", arguments: 0..<500 as Range<UInt64>)
    func dates(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let time = Timestamp(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
        #expect(Timestamp(time.date) == time)
    }

    @Test("A duration that has no milliseconds in 64 bits has the nearest") func longDurations() {
        for seconds in [9_223_372_036_854_775, 9_223_372_036_854_776, .max] as [Int64] {
            let duration = Duration(secondsComponent: seconds, attosecondsComponent: 999_000_000_000_000_000)
            #expect(duration.milliseconds == .max)
            #expect((.zero - duration).milliseconds == .min)
        }
        #expect(Duration.milliseconds(-1_500).milliseconds == -1_500)
    }

    @Test("Arithmetic with times is clamped to 64 bits, because a server may send any") func clampedTimes() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(last + .milliseconds(1) == last && first + .milliseconds(-1) == first)
        #expect(first - .milliseconds(1) == first && last - .milliseconds(-1) == last)
        #expect((last - first).milliseconds == .max && (first - last).milliseconds == .min)
        #expect(last - last == .zero && last + .milliseconds(-1) < last)
    }

    @Test("Times are whole milliseconds in arithmetic, comparisons and messages")
    func times() throws {
        let time = Timestamp(milliseconds: 1_000)
        #expect(time + .milliseconds(5) - .seconds(1) == Timestamp(milliseconds: 5))
        #expect(time - Timestamp(milliseconds: 1_500) == .milliseconds(-500))
        #expect(time < time + .milliseconds(1))
        #expect(Duration.days(2) == .minutes(2_880))
        #expect([Duration.microseconds(1_999), .microseconds(-1_999)].map(\.milliseconds) == [1, -1])
        #expect(try String(decoding: JSONEncoder().encode([time]), as: UTF8.self) == "[1000]")
        #expect(try JSONDecoder().decode([Timestamp].self, from: Data("[1000]".utf8)) == [time])
    }
}
