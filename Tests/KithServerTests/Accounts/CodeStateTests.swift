import KithModel
import KithServer
import Testing

@Suite("The state of a code") struct CodeStateTests {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let limits = CodeLimits()

    private func check(
        _ state: inout CodeState, _ isRight: Bool, isRepeated: Bool = false, after pause: Duration, tries: Int = 0
    ) -> CodeState.Verdict {
        state.check(
            isRight: isRight, isRepeated: isRepeated, triesOfIdentity: tries, limits: limits, at: start + pause)
    }

    @Test("The first two checks need no pause, the third comes a minute later, the others two minutes")
    func pauses() {
        var state = CodeState(created: start)
        #expect(check(&state, false, after: .zero) == .wrong(left: 4))
        #expect(check(&state, false, after: .zero) == .wrong(left: 3))
        #expect(check(&state, true, after: .seconds(59)) == .tooEarly(until: start + .seconds(60)))
        #expect(state.tries == 2, "A check that comes too early does not count.")
        #expect(check(&state, false, after: .seconds(60)) == .wrong(left: 2))
        #expect(check(&state, false, after: .seconds(179)) == .tooEarly(until: start + .seconds(180)))
        #expect(check(&state, false, after: .seconds(180)) == .wrong(left: 1))
        #expect(check(&state, false, after: .seconds(300)) == .wrong(left: 0))
        #expect(
            check(&state, true, after: .seconds(599)) == .exhausted, "The right code is worthless after five tries.")
    }

    @Test("A code expires after ten minutes, used or not") func expiry() {
        var state = CodeState(created: start)
        #expect(check(&state, true, after: .seconds(600)) == .expired)
        #expect(check(&state, true, after: .milliseconds(599_999)) == .right)
        #expect(check(&state, true, after: .seconds(600)) == .expired)
    }

    @Test("A code of a clock that was ahead has expired; another server’s clock may be a little ahead") func ahead() {
        var state = CodeState(created: start)
        #expect(check(&state, true, after: .seconds(-600)) == .expired)
        #expect(state.tries == 0)
        #expect(check(&state, true, after: .seconds(-599)) == .right)
    }

    @Test("A used code is right again, because the answer may be lost; a wrong one still counts") func repeated() {
        var state = CodeState(created: start)
        #expect(check(&state, true, after: .zero) == .right)
        for _ in 0..<10 { #expect(check(&state, true, after: .seconds(1)) == .right) }
        #expect(state.tries == 1)
        #expect(check(&state, false, after: .seconds(1)) == .wrong(left: 3))
    }

    @Test("A wrong code that is sent again has the same answer, also within a pause and after the last try")
    func repeatedWrong() {
        var state = CodeState(created: start)
        for (number, seconds) in [0, 0, 60, 180, 300].enumerated() {
            #expect(check(&state, false, after: .seconds(seconds)) == .wrong(left: 4 - number))
            let counted = state
            #expect(check(&state, false, isRepeated: true, after: .seconds(seconds)) == .wrong(left: 4 - number))
            #expect(state == counted)
        }
        #expect(check(&state, false, isRepeated: true, after: .seconds(600)) == .expired)
    }

    @Test("After 100 checks of an identity's codes, even the right code is not checked") func identity() {
        var state = CodeState(created: start)
        #expect(check(&state, true, after: .zero, tries: 100) == .identityExhausted)
        #expect(state == CodeState(created: start))
        #expect(check(&state, true, after: .zero, tries: 99) == .right)
    }

    @Test("The next code comes after 1, 2, 5 and 10 minutes, and after ten codes a day later")
    func nextCodes() {
        #expect(CodeState.nextCode(after: [], limits: limits) == nil)
        var sent: [Timestamp] = []
        var pauses: [Duration] = []
        for _ in 0..<9 {
            sent.append(CodeState.nextCode(after: sent, limits: limits) ?? start)
            pauses.append((CodeState.nextCode(after: sent, limits: limits) ?? start) - (sent.last ?? start))
        }
        #expect(pauses == [60, 120, 300, 600, 600, 600, 600, 600, 600].map { .seconds($0) })
        sent.append(CodeState.nextCode(after: sent, limits: limits) ?? start)
        #expect(CodeState.nextCode(after: sent, limits: limits) == sent[0] + .days(1))
    }
}
