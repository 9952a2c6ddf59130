import KithModel
import KithServer
import Testing

@Suite("What becomes of an event after an attempt") struct WebhookRulesTests {
    private let down = WebhookOutcome(status: 500)

    private func step(
        _ outcome: WebhookOutcome, attempts: Int = 1, failures: Int = 0, failing: Duration = .zero, chance: Double = 0
    ) -> WebhookRules.Step {
        WebhookRules.step(after: outcome, attempts: attempts, failures: failures, failing: failing, chance: chance)
    }

    @Test(
        "A status from 200 to 299 is a delivery, 410 the end, and everything else a failure",
        arguments: [
            (200, .init(.delivered, .works)), (299, .init(.delivered, .works)), (410, .init(.failed, .ends)),
            (199, .init(.retry(after: .seconds(5)), .rests(.seconds(5)))),
            (302, .init(.retry(after: .seconds(5)), .rests(.seconds(5)))),
            (404, .init(.retry(after: .seconds(5)), .rests(.seconds(5)))),
            (503, .init(.retry(after: .seconds(5)), .rests(.seconds(5)))),
        ] as [(Int, WebhookRules.Step)])
    func statuses(status: Int, expected: WebhookRules.Step) {
        #expect(step(WebhookOutcome(status: status)) == expected)
    }

    @Test("The pauses grow, are together about three days, and end with a failure")
    func pauses() {
        #expect(WebhookRules.pauses == WebhookRules.pauses.sorted())
        let all = WebhookRules.pauses.reduce(Duration.zero, +)
        #expect(all >= .days(3) && all < .days(4))
        for (index, pause) in WebhookRules.pauses.enumerated() {
            #expect(step(down, attempts: index + 1).delivery == .retry(after: pause))
        }
        #expect(step(down, attempts: WebhookRules.pauses.count + 1).delivery == .failed)
    }

    @Test("Chance lengthens a pause by at most a fifth")
    func chance() {
        #expect(step(down, chance: 1).delivery == .retry(after: .seconds(6)))
        #expect(step(down, chance: 0.5).delivery == .retry(after: .milliseconds(5_500)))
    }

    @Test("A webhook fails since its first failed attempt, unless there was none for longer than the longest pause")
    func failingSince() {
        let (start, longest) = (HandClock.start, WebhookRules.longestPause)
        let rested = start + .minutes(30)
        func since(_ now: Timestamp) -> Timestamp { WebhookRules.failing(since: start, rested: rested, at: now) }
        #expect(since(rested + longest) == start)
        let later = rested + longest + .seconds(1)
        #expect(since(later) == later)
        // The clock was ahead when the webhook began to fail.
        #expect(since(start - .seconds(1)) == start - .seconds(1))
        #expect(WebhookRules.failing(since: nil, rested: nil, at: start) == start)
    }

    @Test("The webhook rests longer with each failure in a row, and is paused after three days")
    func rests() {
        let rests = (0..<6).map { step(down, failures: $0).endpoint }
        let longest = WebhookRules.Endpoint.rests(.minutes(30))
        #expect(rests == [.rests(.seconds(5)), .rests(.minutes(1)), .rests(.minutes(5)), longest, longest, longest])
        #expect(step(down, failures: 9, failing: WebhookRules.patience - .seconds(1)).endpoint == longest)
        #expect(step(down, failures: 9, failing: WebhookRules.patience).endpoint == .pauses)
    }
}
