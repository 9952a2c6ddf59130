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
}
