import Kith
import KithModel
import Testing

@Suite("Pauses after failures") struct RetryScheduleTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func pauses(attempt: Int, retryAfter: Duration? = nil) -> [Duration] {
        var random = SplitMix64(seed: UInt64(attempt))
        return (0..<400).compactMap { _ in
            var schedule = RetrySchedule(attempt: attempt - 1)
            schedule.fail(at: now, retryAfter: retryAfter, using: &random)
            return schedule.retryAt.map { $0 - now }
        }
    }

    @Test("Each pause is random between zero and its limit", arguments: [(1, 2), (2, 4), (3, 8), (5, 32), (6, 60)])
    func fullJitter(attempt: Int, longest: Int) throws {
        let pauses = pauses(attempt: attempt)
        let longest = Duration.seconds(longest)
        #expect(try #require(pauses.min()) >= .zero)
        #expect(try #require(pauses.max()) <= longest)
        #expect(try #require(pauses.min()) < longest / 10)
        #expect(try #require(pauses.max()) > longest * 9 / 10)
    }

    @Test(
        "The shortest pause is zero, and the longest is the whole limit",
        arguments: [(1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 60), (7, 600)])
    func ends(attempt: Int, longest: Int) {
        for (draw, pause) in [(UInt64(1), Duration.zero), (.max, .seconds(longest))] {
            var schedule = RetrySchedule(attempt: attempt - 1)
            var random = Loaded(draw: draw)
            schedule.fail(at: now, retryAfter: nil, using: &random)
            #expect(schedule == RetrySchedule(attempt: attempt, retryAt: now + pause))
            #expect(schedule.isSlow == (attempt > 6))
        }
    }

    /// A die that always falls on the same side.
    private struct Loaded: RandomNumberGenerator {
        let draw: UInt64

        mutating func next() -> UInt64 { draw }
    }

    @Test("A failed send is retried a number of times, then enters a slow retry cycle", arguments: [7, 8, 100])
    func slowCycle(attempt: Int) throws {
        let pauses = pauses(attempt: attempt)
        #expect(try #require(pauses.max()) <= .minutes(10))
        #expect(try #require(pauses.max()) > .minutes(9))
    }

    @Test("Retry-After is obeyed: no pause is shorter") func retryAfter() {
        #expect(pauses(attempt: 1, retryAfter: .seconds(90)).allSatisfy { $0 == .seconds(90) })
        #expect(pauses(attempt: 7, retryAfter: .seconds(90)).allSatisfy { $0 >= .seconds(90) })
    }

    @Test("No pause is longer than an hour") func longest() {
        #expect(pauses(attempt: 1, retryAfter: .days(30)).allSatisfy { $0 == .minutes(60) })
    }

    @Test("A success resets the pauses") func success() {
        var schedule = RetrySchedule(attempt: 9, retryAt: now)
        schedule.succeed()
        #expect(schedule == RetrySchedule())
    }

    @Test(
        "An attempt is due without an earlier failure, at its time, and if it is so far ahead that the clock was set back",
        arguments: [
            (nil, true), (-1, true), (0, true), (1, false), (3_600_000, false), (3_600_001, true),
        ] as [(Int?, Bool)])
    func due(ahead: Int?, isDue: Bool) {
        let schedule = RetrySchedule(attempt: 1, retryAt: ahead.map { now + .milliseconds($0) })
        #expect(schedule.isDue(at: now) == isDue)
    }

    @Test("The time of the next attempt is stored in the database, and visible in the status") func kept() async throws
    {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        try await phone.lists.add("Milk", to: list)
        phone.server.refuse(503, .busy, retryAfter: 120) { $0 == "/v1/sync" }
        #expect(await code { try await phone.client.syncNow() } == .busy)
        let again = try Phone(phone.server, file: folder.replica, credentials: phone.credentials)
        let status = try await again.client.status()
        #expect(status.retryAt == (phone.clock.now + .seconds(120)).date)
        #expect(status.lastError?.code == .busy)
        #expect(status.waiting == 1)
        phone.server.mend()
        try await again.client.syncNow()
        #expect(try await again.client.status().lastError == nil)
        #expect(try await again.client.status().retryAt == nil)
    }
}
