import KithModel
import KithServer
import Testing

@Suite("The clock of a node") struct ClockOffsetTests {
    private var offset = ClockOffset()
    private let noon = HandClock.start

    private mutating func see(ahead: Int64, answeredAfter seconds: Int64 = 0) -> Duration? {
        let asked = noon + .seconds(ahead)
        return offset.see(noon, between: asked, and: asked + .seconds(seconds))
    }

    @Test("A difference of more than a minute is reported once, in both directions", arguments: [1, -1])
    mutating func once(direction: Int64) {
        let tolerated = see(ahead: 60 * direction)
        #expect(tolerated == nil)
        let reported = see(ahead: 61 * direction)
        #expect(reported == .seconds(61 * direction))
        let again = see(ahead: 300 * direction)
        #expect(again == nil)
        let mended = see(ahead: 0)
        #expect(mended == nil)
        let later = see(ahead: 90 * direction)
        #expect(later == .seconds(90 * direction))
    }

    @Test("A slow answer is no difference: the database's time is from some moment in between")
    mutating func slowAnswer() {
        let slow = see(ahead: -100, answeredAfter: 100)
        #expect(slow == nil)
        let slower = see(ahead: -200, answeredAfter: 100)
        #expect(slower == .seconds(-100))
    }
}
