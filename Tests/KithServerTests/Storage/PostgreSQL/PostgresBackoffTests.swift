import KithServer
import Testing

@Suite("The pauses between connections to PostgreSQL") struct PostgresBackoffTests {
    @Test("after a failure one attempt at a time is made, after longer and longer pauses") func pauses() {
        var backoff = PostgresBackoff()
        var now = ContinuousClock.now
        #expect(backoff.wait(at: now) == nil)
        // Two threads have tried at the same time.
        backoff.failed(at: now)
        backoff.failed(at: now)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            let pause = backoff.wait(at: now)
            pauses.append(pause ?? .zero)
            now += pause ?? .zero
            #expect(backoff.wait(at: now) == nil, "One thread may try now.")
            #expect(backoff.wait(at: now) != nil, "A second one may not.")
            backoff.failed(at: now)
        }
        #expect(pauses == [100, 200, 400, 500, 500, 500, 500, 500].map { .milliseconds($0) })
        #expect(pauses.first == PostgresBackoff.shortest && pauses.last == PostgresBackoff.longest)
    }

    @Test("after a success every thread may try") func success() {
        var backoff = PostgresBackoff()
        let now = ContinuousClock.now
        backoff.failed(at: now)
        #expect(backoff.wait(at: now) != nil)
        backoff.succeeded()
        #expect(backoff.wait(at: now) == nil && backoff.wait(at: now) == nil)
    }
}
