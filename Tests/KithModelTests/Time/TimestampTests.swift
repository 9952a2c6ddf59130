import Foundation
import KithModel
import Testing

@Suite("Times") struct TimestampTests {
    @Test("As text, a time keeps each of its milliseconds") func text() {
        #expect(Timestamp(milliseconds: 0).internetTime == "1970-01-01T00:00:00.000Z")
        for number in 0..<1_000 {
            let digits = String(String(1_000 + number).dropFirst())
            let time = Timestamp(milliseconds: 1_800_000_000_000 + Int64(number))
            #expect(time.internetTime == "2027-01-15T08:00:00.\(digits)Z")
            #expect(Timestamp(time.date) == time)
        }
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

    @Test(
        "A day begins at midnight in UTC, also before 1970",
        arguments: [
            (0, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1), (-86_400_001, -2),
            (1_800_000_000_000, 20_833), (.min, -106_751_991_168), (.max, 106_751_991_167),
        ] as [(Int64, Int64)])
    func days(milliseconds: Int64, day: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(time.day == day)
        if milliseconds != .min { #expect(Timestamp(day: day) <= time && time - Timestamp(day: day) < .days(1)) }
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
