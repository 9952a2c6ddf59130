import CEpoll
import Foundation

/// Waits for many sockets and for a moment in time (epoll).
final class SocketPoller {
    struct Broken: Error {}

    private let queue: Int32
    /// The timeout of `epoll_wait` counts in milliseconds, which is too coarse for a rate of requests.
    private let timer: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 512)
    private static let timerNumber = UInt64.max

    init() throws {
        queue = epoll_create1(0)
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK))
        guard queue >= 0, timer >= 0 else { throw Broken() }
        try add(timer, as: Self.timerNumber)
    }

    deinit {
        close(queue)
        close(timer)
    }

    /// Waits for this socket too, from now on until it is closed.
    func add(_ socket: NonblockingSocket, as number: Int) throws { try add(socket.descriptor, as: UInt64(number)) }

    private func add(_ descriptor: Int32, as number: UInt64) throws {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = number
        guard epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw Broken() }
    }

    /// Waits until a socket has something to read, or until `moment`.
    ///
    /// - Returns: The numbers of the sockets that can be read.
    func wait(until moment: ContinuousClock.Instant) -> [Int] {
        // Zero would stop the timer.
        let rest = max(1, ContinuousClock.now.duration(to: moment) / .nanoseconds(1))
        _ = timer_set(timer, Int64(rest))
        let count = epoll_wait(queue, &events, Int32(events.count), -1)
        return events.prefix(max(0, Int(count))).compactMap { event in
            event.data.u64 == Self.timerNumber ? nil : Int(event.data.u64)
        }
    }
}
