import Foundation
import KithModel
import KithServer
import Testing

@Suite("The line of transactions that wait for PostgreSQL") struct PostgresQueueTests {
    private struct Idle: TransactionWork {
        func run(in transaction: any Transaction) {}
    }

    private let now = ContinuousClock.now
    private let x = FeedID(UUID())
    private let y = FeedID(UUID())
    private var queue = PostgresQueue(limit: 100, writers: 3, joined: 50)

    private func job(
        _ feed: FeedID?, alone: Bool = false, mode: PostgresMode = .write, within seconds: Int = 10
    ) -> PostgresJob {
        let device = FeedTurn.Device(DeviceID(UUID()), of: AccountID(UUID()))
        return PostgresJob(
            mode: mode, turn: feed.map { FeedTurn(of: $0, for: alone ? nil : device) },
            deadline: now + .seconds(seconds), work: AwaitedWork(Idle()) { _ in })
    }

    /// Adds jobs, and returns what happened to each.
    @discardableResult private mutating func add(_ jobs: PostgresJob...) -> [PostgresQueue.Admission] {
        jobs.map { queue.append($0) }
    }

    /// Takes all transactions that may run, as the arrivals of their jobs, and returns the first jobs too.
    private mutating func begin() -> (arrivals: [[Int]], jobs: [[PostgresJob]]) {
        var jobs: [[PostgresJob]] = []
        while case let next = queue.next(), !next.isEmpty { jobs.append(next) }
        return (jobs.map { $0.map(\.arrival) }, jobs)
    }

    @Test("One write to a feed runs at a time; those that have waited for it are joined, in their order")
    mutating func joined() {
        let admissions = add(job(x), job(x), job(x), job(y), job(x))
        #expect(admissions == [.ready, .behind, .behind, .ready, .behind])
        let first = begin()
        #expect(first.arrivals == [[1, 2, 3, 5], [4]])
        add(job(x), job(x))
        let early = begin()
        #expect(early.arrivals == [] && queue.count == 2)
        let ready = queue.finished(first.jobs[0][0])
        #expect(ready == 1)
        let second = begin()
        #expect(second.arrivals == [[6, 7]])
        let none = queue.finished(second.jobs[0][0])
        #expect(none == 0 && queue.count == 0)
        let last = add(job(x))
        #expect(last == [.ready])
    }

    @Test("Writes to other feeds, without a turn, and reads pass those that wait for a feed") mutating func passed() {
        add(job(x), job(x, alone: true), job(x), job(y), job(nil), job(nil, mode: .read))
        let begun = begin()
        #expect(begun.arrivals == [[1], [4], [5], [6]])
    }

    @Test("A transaction has at most as many writes as permitted") mutating func most() {
        queue = PostgresQueue(limit: 100, writers: 3, joined: 2)
        add(job(x), job(x), job(x))
        let first = begin()
        #expect(first.arrivals == [[1, 2]])
        _ = queue.finished(first.jobs[0][0])
        let second = begin()
        #expect(second.arrivals == [[3]])
    }

    @Test("A write that locks more has its own transaction, and is not passed by later writes to its feed")
    mutating func alone() {
        add(job(x), job(x), job(x, alone: true), job(x))
        for expected in [[1, 2], [3], [4]] {
            let begun = begin()
            #expect(begun.arrivals == [expected])
            let ready = queue.finished(begun.jobs[0][0])
            #expect(ready == (expected == [4] ? 0 : 1))
        }
    }

    @Test("Writes that are left come first again; those without their turn do not wait for it") mutating func left() {
        add(job(x), job(x), job(x))
        let first = begin().jobs[0]
        add(job(x), job(nil, mode: .read))
        var other = first[1]
        other.turn = nil
        let ready = queue.finished(first[0], leaving: [other, first[2]])
        #expect(ready == 2)
        let begun = begin()
        #expect(begun.arrivals == [[2], [3, 4], [5]])
    }

    @Test("Transactions that are given back keep their places") mutating func givenBack() {
        add(job(nil, mode: .read), job(x), job(x))
        let first = begin()
        #expect(first.arrivals == [[1], [2, 3]])
        add(job(nil, mode: .read), job(x))
        for jobs in first.jobs.reversed() {
            let ready = queue.finished(jobs[0], leaving: jobs)
            #expect(ready == 1)
        }
        let again = begin()
        #expect(again.arrivals == [[1], [2, 3, 5], [4]])
    }

    @Test("Writes to one feed cannot take all places") mutating func places() {
        queue = PostgresQueue(limit: 6, writers: 3, joined: 50)
        add(job(x))
        _ = begin()
        let admissions = add(job(x), job(x), job(x), job(x), job(y), job(nil), job(nil), job(nil))
        #expect(
            admissions == [
                .behind, .behind, .behind, .refused(waiting: 3), .ready, .ready, .ready, .refused(waiting: 6),
            ])
    }

    @Test("When the first write to a feed has waited too long, the next one takes its place") mutating func overdue() {
        queue = PostgresQueue(limit: 100, writers: 1, joined: 50)
        add(job(nil, within: 1), job(x, within: 2), job(x, within: 3), job(x, within: 4))
        let running = begin().jobs[0][0]
        let early = queue.removeOverdue(at: now)
        let late = queue.removeOverdue(at: now + .seconds(3))
        #expect(early.isEmpty && Set(late.map(\.arrival)) == [2, 3])
        let ready = queue.finished(running)
        #expect(ready == 1)
        let next = begin()
        #expect(next.arrivals == [[4]])
    }

    @Test(
        "Every write runs once, one at a time and in order for each feed, whatever is left over",
        arguments: 0..<50 as Range<UInt64>)
    mutating func orders(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let feeds = [x, y, FeedID(UUID()), nil]
        var running: [[PostgresJob]] = []
        var ended: [FeedID: [Int]] = [:]
        var (waiting, count, threads) = (Set<Int>(), 0, 0)
        for step in 0..<400 {
            if step < 200, Bool.random(using: &random) {
                let admission = queue.append(
                    job(feeds.randomElement(using: &random) ?? nil, alone: Int.random(in: 0..<4, using: &random) == 0))
                if case .refused = admission { continue }
                count += 1
                waiting.insert(count)
                if admission == .ready { threads += 1 }
            } else if threads > 0, running.count < 4, Bool.random(using: &random) {
                threads -= 1
                let jobs = queue.next()
                if jobs.isEmpty { continue }
                let feed = jobs[0].turn?.feed
                #expect(feed == nil || !running.contains { $0[0].turn?.feed == feed })
                #expect(jobs.count == 1 || jobs.allSatisfy { $0.turn?.feed == feed && $0.turn?.device != nil })
                running.append(jobs)
            } else if let jobs = running.popLast() {
                // Of several writes, the last ones may have no time, and one may have to run alone.
                let done = Int.random(in: 1...jobs.count, using: &random)
                var left = Array(jobs[done...])
                if left.count > 1 { left[0].turn = nil }
                for job in jobs[..<done] {
                    #expect(waiting.remove(job.arrival) != nil, "It has run before.")
                    if let feed = job.turn?.feed { ended[feed, default: []].append(job.arrival) }
                }
                threads += queue.finished(jobs[0], leaving: left)
            }
        }
        while threads > 0 || !running.isEmpty {
            if let jobs = running.popLast() {
                for job in jobs { #expect(waiting.remove(job.arrival) != nil, "It has run before.") }
                threads += queue.finished(jobs[0])
            }
            if threads > 0 {
                threads -= 1
                let jobs = queue.next()
                if !jobs.isEmpty { running.append(jobs) }
            }
        }
        #expect(waiting.isEmpty && queue.count == 0)
        #expect(ended.values.allSatisfy { $0 == $0.sorted() })
    }
}
