import Foundation
import Synchronization

/// The times of requests, and the number of requests without a right answer.
struct Latencies: Sendable {
    var times = Samples()
    var refused = 0

    /// Measures accounts that each perform a round with an edit and a round without one, five times a second, on their
    /// own threads.
    static func measure(_ accounts: [Account], for seconds: Double) -> (edits: Latencies, empty: Latencies) {
        let all = Mutex((edits: Latencies(), empty: Latencies()))
        let done = DispatchGroup()
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        // Each account is used by only one thread.
        nonisolated(unsafe) let accounts = accounts
        for index in accounts.indices {
            done.enter()
            Thread.detachNewThread {
                var (edits, empty) = (Latencies(), Latencies())
                while clock.now < end {
                    edits.take(clock) { try accounts[index].add(1) }
                    empty.take(clock) { try accounts[index].sync() }
                    Thread.sleep(forTimeInterval: 0.2)
                }
                all.withLock { all in
                    all.edits.add(edits)
                    all.empty.add(empty)
                }
                done.leave()
            }
        }
        done.wait()
        return all.withLock { $0 }
    }

    private mutating func take(_ clock: ContinuousClock, _ round: () throws -> Int) {
        let start = clock.now
        let status = try? round()
        if status == 200 { times.append(clock.now - start) } else { refused += 1 }
    }

    mutating func add(_ other: Latencies) {
        times.append(contentsOf: other.times)
        refused += other.refused
    }
}
