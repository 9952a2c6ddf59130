import Foundation

/// Keeps several connections busy: on each, the next request leaves as soon as an answer has come.
///
/// One thread serves all connections, because it shares the processors with the server.
enum ClosedLoop {
    struct NoAnswer: Error {}

    /// Sends requests until all are answered.
    ///
    /// - Parameters:
    ///   - count: The number of requests on all connections together.
    ///   - connections: The connections.
    ///   - request: The next request on a connection, by its index.
    ///   - answered: Receives each answer, with the index of its connection.
    /// - Throws: ``NoAnswer`` if none comes for a minute; what the functions throw.
    /// - Returns: The answers per second.
    static func rate(
        of count: Int, on connections: [HTTPConnection], request: (Int) throws -> [UInt8],
        answered: (Int, HTTPAnswer) throws -> Void
    ) throws -> Double {
        let start = ContinuousClock.now
        var (sent, done) = (0, 0)
        for index in connections.indices where sent < count {
            try connections[index].send(request(index))
            sent += 1
        }
        var polls = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        while done < count {
            guard poll(&polls, nfds_t(polls.count), 60_000) > 0 else { throw NoAnswer() }
            for index in polls.indices where polls[index].revents != 0 {
                guard let answer = try connections[index].receive() else { continue }
                try answered(index, answer)
                done += 1
                guard sent < count else { continue }
                try connections[index].send(request(index))
                polls[index].fd = connections[index].socket
                sent += 1
            }
        }
        return Double(count) / (start.duration(to: .now) / .seconds(1))
    }
}
