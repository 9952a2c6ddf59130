import Foundation
import Synchronization

/// Sends requests at a fixed rate, over a few connections, as a proxy does.
///
/// Each answer is measured from the moment at which its request was due, so that a server that falls behind is not asked
/// more slowly.
struct OpenLoop: Sendable {
    /// Requests in a second.
    let rate: Int
    /// The status of a right answer.
    let status: Int

    private static let connections = 32
    private static let seconds = 10

    /// Measures a turn of some seconds.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - turn: Which turn it is. The visitors of each are others.
    ///   - path: The path of a request, by its number.
    /// - Returns: The latencies, and the number of requests without a right answer.
    func measure(at port: Int, turn: Int, _ path: @escaping @Sendable (Int) -> String) -> Latencies {
        let all = Mutex(Latencies())
        let done = DispatchGroup()
        let start = ContinuousClock.now + .milliseconds(300)
        for first in 0..<Self.connections {
            done.enter()
            let thread = Thread {
                let mine = ask(from: first, at: port, turn, start, path)
                all.withLock { $0.add(mine) }
                done.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        done.wait()
        return all.withLock { $0 }
    }

    /// Sends every request whose turn it is on one connection.
    private func ask(
        from first: Int, at port: Int, _ turn: Int, _ start: ContinuousClock.Instant,
        _ path: @Sendable (Int) -> String
    ) -> Latencies {
        let client = LoopbackClient(port: port, address: "127.0.0.1")
        // The connection is there before the first request is due.
        _ = try? client.ask("GET", "/health")
        var latencies = Latencies()
        let count = rate * Self.seconds
        for number in stride(from: first, to: count, by: Self.connections) {
            let due = start + .microseconds(number * 1_000_000 / rate)
            let left = ContinuousClock.now.duration(to: due) / .microseconds(1)
            if left >= 1 { usleep(UInt32(left)) }
            let visitor = turn * count + number
            let answer = try? client.ask("GET", path(visitor), headers: SharedLinks.browser(visitor))
            if answer?.status == status {
                latencies.times.append(due.duration(to: .now) / .milliseconds(1))
            } else {
                latencies.refused += 1
            }
        }
        return latencies
    }
}
