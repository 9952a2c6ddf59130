/// The times of an action that is measured many times.
struct Samples {
    private var times: [Duration] = []

    mutating func append(_ time: Duration) { times.append(time) }

    mutating func append(contentsOf others: Samples) { times += others.times }

    /// Measures one more run of `body`.
    @discardableResult mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        times.append(.now - start)
        return result
    }

    mutating func reserveCapacity(_ count: Int) { times.reserveCapacity(count) }

    var count: Int { times.count }
    var total: Duration { times.reduce(.zero, +) }
    /// The median; zero if nothing was measured.
    var p50: Duration { percentile(50) }
    /// The time that one run in a hundred exceeds; zero if nothing was measured.
    var p99: Duration { percentile(99) }

    private func percentile(_ percent: Int) -> Duration {
        times.isEmpty ? .zero : times.sorted()[min(times.count - 1, times.count * percent / 100)]
    }
}
