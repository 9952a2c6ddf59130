import Foundation

/// Sends requests at a fixed rate, over a few connections, as a proxy does.
///
/// Each answer is measured from the moment at which its request was due, so that a server that falls behind is not asked
/// more slowly. One thread serves all connections, because it shares the processors with the server.
struct OpenLoop: Sendable {
    /// Requests in a second.
    let rate: Int
    /// How long a turn takes, in seconds.
    let seconds: Int
    /// The status of a right answer.
    let status: Int

    private static let connections = 32

    /// Measures a turn.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - turn: Which turn it is. The visitors of each are others.
    ///   - path: The path of a request, by its number.
    /// - Returns: The latencies, and the number of requests without a right answer.
    func measure(at port: Int, turn: Int, _ path: (Int) -> String) -> Latencies {
        let count = rate * seconds
        // Making a request takes time, so all are made before.
        let requests = (0..<count).map { number in
            let visitor = turn * count + number
            return Array("GET \(path(visitor)) HTTP/1.1\r\nHost: kith\r\n\(SharedLinks.browser(visitor))\r\n".utf8)
        }
        var lanes = (0..<Self.connections).compactMap { _ in try? Lane(port: port) }
        guard lanes.count == Self.connections else { return Latencies(refused: count) }
        var latencies = Latencies()
        latencies.times.reserveCapacity(count)
        var polls = lanes.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        let start = ContinuousClock.now + .milliseconds(100)
        func due(_ number: Int) -> ContinuousClock.Instant { start + .microseconds(number * 1_000_000 / rate) }
        var (sent, answered) = (0, 0)
        while answered < count {
            // A lane without a request sends the next one that is due.
            for index in lanes.indices where lanes[index].number == nil && sent < count && due(sent) <= .now {
                lanes[index].send(requests[sent], number: sent)
                sent += 1
            }
            let isFree = sent < count && lanes.contains { $0.number == nil }
            guard poll(&polls, nfds_t(polls.count), isFree ? 0 : 1_000) > 0 else {
                // `poll` counts in milliseconds, which is too coarse for the next request.
                if isFree {
                    usleep(useconds_t(max(0, min(50, ContinuousClock.now.duration(to: due(sent)) / .microseconds(1)))))
                }
                continue
            }
            for index in polls.indices where polls[index].revents != 0 {
                guard let number = lanes[index].number, let answer = lanes[index].receive() else { continue }
                if answer == status {
                    latencies.times.append(due(number).duration(to: .now))
                } else {
                    latencies.refused += 1
                }
                answered += 1
                if answer == 0 { return latencies }
            }
        }
        for lane in lanes { close(lane.socket) }
        return latencies
    }
}
