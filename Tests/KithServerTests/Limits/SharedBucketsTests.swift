import KithModel
import KithServer
import Testing

@Suite("Rates that nodes share") struct SharedBucketsTests {
    /// Nodes with their common table, which exchange reports at different moments of each second.
    private struct Cluster {
        let rate: Rate
        var nodes: [SharedBuckets<String>]
        /// When each bucket is full, as the table has it.
        var table: [String: Duration] = [:]
        var now = Duration.zero
        /// The tokens that callers got.
        var taken: [String: Int] = [:]

        init(_ count: Int, _ rate: Rate) {
            self.rate = rate
            nodes = Array(repeating: SharedBuckets(rate), count: count)
        }

        /// What ``RateUse/add(_:in:)`` does in the database.
        private mutating func add(_ report: [String: SharedBuckets<String>.Taken]) -> [String: Duration] {
            let price = Duration.seconds(1 / rate.perSecond)
            for (caller, tokens) in report {
                let start = max(table[caller] ?? .zero, now - tokens.age)
                table[caller] = start + price * tokens.amount
            }
            return table.compactMapValues { $0 > now ? $0 - now : nil }
        }

        mutating func exchange(_ index: Int) {
            let report = nodes[index].report(at: now)
            nodes[index].merge(add(report), at: now)
        }

        /// Takes a token if there is one, and returns whether there was.
        @discardableResult mutating func take(_ caller: String = "ada", at index: Int) -> Bool {
            guard nodes[index].take(from: caller, at: now) == nil else { return false }
            taken[caller, default: 0] += 1
            return true
        }

        /// Ten milliseconds; each node exchanges once in a second.
        mutating func tick(_ step: Int) {
            now += .milliseconds(10)
            for index in nodes.indices where step % 100 == index * 100 / nodes.count { exchange(index) }
        }

        /// The tokens beyond the rate.
        func excess(of caller: String = "ada") -> Double {
            Double(taken[caller] ?? 0) - Double(rate.burst) - rate.perSecond * (now / .seconds(1))
        }
    }

    private static let rates = [Rate(perSecond: 20, burst: 200), Rate(perSecond: 1, burst: 60)]

    @Test("A caller on one node gets the whole rate, however many nodes there are", arguments: rates)
    func sticky(rate: Rate) {
        var (one, ten) = (Cluster(1, rate), Cluster(10, rate))
        for step in 0..<6_000 {
            one.tick(step)
            ten.tick(step)
            one.take(at: 0)
            ten.take(at: 3)
        }
        #expect(one.taken == ten.taken)
        #expect(abs(ten.excess()) <= 1)
    }

    @Test("Law 10: A caller on all nodes gets more than the rate once, up to the bound", arguments: [2, 4, 10])
    func spread(count: Int) {
        for (seed, rate) in Self.rates.enumerated() {
            var cluster = Cluster(count, rate)
            var random = SplitMix64(seed: UInt64(seed))
            var most = 0.0
            for step in 0..<12_000 {
                cluster.tick(step)
                // More than all nodes together would admit. Pauses let the buckets fill again.
                let isPaused = step % 6_000 > 3_000
                for _ in 0..<(isPaused ? 0 : 3 * count) { cluster.take(at: Int.random(in: 0..<count, using: &random)) }
                most = max(most, cluster.excess())
            }
            let bound = cluster.nodes[0].excess(nodes: count, every: .seconds(1))
            #expect(most > 0 && most <= Double(bound), "\(most) of \(bound)")
        }
    }

    @Test("Callers with few requests are not reported, and are forgotten when their bucket is full") func few() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 20, burst: 200))
        for caller in 0..<1_000 { _ = buckets.take(from: caller, at: .zero) }
        let early = buckets.report(at: .milliseconds(10))
        buckets.merge([:], at: .milliseconds(10))
        #expect(early.isEmpty && buckets.unreported == 1_000)
        let late = buckets.report(at: .seconds(1))
        #expect(late.isEmpty && buckets.unreported == 0)
    }

    @Test("Small amounts are reported once they add up") func addingUp() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 1, burst: 80))
        var reports: [[Int: Int]] = []
        for second in 0..<5 {
            for _ in 0..<3 { _ = buckets.take(from: 1, at: .seconds(second)) }
            reports.append(buckets.report(at: .seconds(second)).mapValues(\.amount))
            buckets.merge([:], at: .seconds(second))
        }
        #expect(buckets.threshold == 10)
        #expect(reports == [[:], [:], [:], [1: 12], [:]])
    }

    @Test("A report that failed is sent again, and there is one at a time") func failure() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 1, burst: 8))
        for _ in 0..<3 { _ = buckets.take(from: 1, at: .zero) }
        let first = buckets.report(at: .seconds(1))
        #expect(first == [1: .init(amount: 3, age: .seconds(1))])
        _ = buckets.take(from: 1, at: .seconds(2))
        let second = buckets.report(at: .seconds(2))
        #expect(second.isEmpty)
        buckets.putBack()
        let third = buckets.report(at: .seconds(3))
        #expect(third == [1: .init(amount: 4, age: .seconds(3))])
    }

    @Test("What others have taken is a debt, also for a caller who has taken nothing here") func others() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 1, burst: 8))
        buckets.merge([1: .seconds(10)], at: .seconds(100))
        #expect(buckets.debt(of: 1, at: .seconds(100)) == .seconds(2))
        let wait = buckets.take(from: 1, at: .seconds(100))
        #expect(wait == .seconds(3))
        let later = buckets.take(from: 1, at: .seconds(103))
        #expect(later == nil)
    }

    @Test("Trap: a table that has lost its rows gives no tokens back") func lostTable() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 1, burst: 8))
        for _ in 0..<8 { _ = buckets.take(from: 1, at: .zero) }
        _ = buckets.report(at: .zero)
        buckets.merge([1: .seconds(1)], at: .zero)
        let wait = buckets.take(from: 1, at: .zero)
        #expect(wait == .seconds(1))
    }

    @Test("Law 10: A report has a limit: those come first who have taken most, and the others are in the next one")
    func boundedReport() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 1, burst: 80))
        for caller in 0..<4 { for _ in 0..<10 * (caller + 1) { _ = buckets.take(from: caller, at: .zero) } }
        let first = buckets.report(at: .zero, most: 3)
        buckets.merge([:], at: .zero)
        let second = buckets.report(at: .seconds(1), most: 3)
        #expect(first.mapValues(\.amount) == [3: 40, 2: 30, 1: 20])
        #expect(second == [0: .init(amount: 10, age: .seconds(1))])
    }

    @Test("Law 10: The unreported callers have a limit") func bounded() {
        var buckets = SharedBuckets<Int>(Rate(perSecond: 1, burst: 80), capacity: 100)
        for caller in 0..<1_000 { _ = buckets.take(from: caller, at: .zero) }
        #expect(buckets.unreported == 100)
    }
}
