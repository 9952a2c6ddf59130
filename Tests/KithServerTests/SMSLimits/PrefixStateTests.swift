import KithModel
import KithServer
import Testing

@Suite("The state of a prefix of phone numbers") struct PrefixStateTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let limits = PrefixLimits()

    private func outcomes(_ entered: Int, of count: Int) -> [Bool] {
        Array(repeating: true, count: entered) + Array(repeating: false, count: count - entered)
    }

    @Test("Twenty messages go to a prefix in an hour; the next one goes when the first is an hour old")
    func velocity() {
        let times = (0..<20).map { now - .seconds(60 * $0) }
        #expect(PrefixState(sent: Array(times.dropLast())).verdict(limits, at: now) == .open)
        let first = now - .seconds(19 * 60)
        let state = PrefixState(sent: times)
        #expect(state.verdict(limits, at: now) == .tooFast(until: first + .seconds(3600)))
        #expect(state.verdict(limits, at: first + .seconds(3599)) == .tooFast(until: first + .seconds(3600)))
        #expect(state.verdict(limits, at: first + .seconds(3600)) == .open)
    }

    @Test("A message that nobody has asked for goes while fewer than ten went in an hour") func unasked() {
        let times = (0..<12).map { now - .seconds(60 * $0) }
        #expect(PrefixState(sent: Array(times.prefix(9))).verdict(limits, isAsked: false, at: now) == .open)
        let state = PrefixState(sent: times)
        let until = times[9] + .seconds(3600)
        #expect(state.verdict(limits, isAsked: false, at: now) == .tooFast(until: until))
        #expect(state.verdict(limits, isAsked: false, at: until) == .open)
        #expect(state.verdict(limits, at: now) == .open)
        var few = limits
        few.messagesAnHour = 5
        #expect(PrefixState(sent: Array(times.prefix(5))).verdict(few, isAsked: false, at: now) != .open)
    }

    @Test("A prefix is paused if fewer than a fifth of its last 50 codes were entered")
    func pumping() {
        #expect(PrefixState(outcomes: outcomes(9, of: 50)).verdict(limits, at: now) == .mustPause(entered: 9))
        #expect(PrefixState(outcomes: outcomes(0, of: 50)).verdict(limits, at: now) == .mustPause(entered: 0))
        #expect(PrefixState(outcomes: outcomes(10, of: 50)).verdict(limits, at: now) == .open)
    }

    @Test("A prefix with fewer than 50 codes is not judged") func fewCodes() {
        #expect(PrefixState(outcomes: outcomes(0, of: 49)).verdict(limits, at: now) == .open)
    }

    @Test("A paused prefix stays paused, however many codes were entered") func paused() {
        let state = PrefixState(outcomes: outcomes(50, of: 50), isPaused: true)
        #expect(state.verdict(limits, at: now) == .paused)
        #expect(state.verdict(limits, at: now + .days(30)) == .paused)
    }

    @Test("A prefix is a number without its last four digits") func prefix() throws {
        #expect(NumberPrefix(of: try #require(E164("+436641234567"))).text == "+43664123")
        #expect(NumberPrefix("+43664123")?.text == "+43664123")
        for text in ["", "+", "43664", "+43x", "+436641234567436641234567"] { #expect(NumberPrefix(text) == nil) }
    }
}
