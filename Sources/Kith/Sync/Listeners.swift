import Synchronization

/// The listeners of one kind of signal. Each has a stream.
final class Listeners<Signal: Sendable>: Sendable {
    private struct State {
        var last = 0
        var streams: [Int: AsyncStream<Signal>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// A stream of the signals that are sent from now on. The newest `count` of them wait for the listener. If `first` is
    /// set, this listener gets it at once.
    func stream(keeping count: Int = 1, first: Signal? = nil) -> AsyncStream<Signal> {
        AsyncStream(bufferingPolicy: .bufferingNewest(count)) { continuation in
            let number = state.withLock { state in
                state.last += 1
                state.streams[state.last] = continuation
                return state.last
            }
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[number] = nil } }
            if let first { continuation.yield(first) }
        }
    }

    func send(_ signal: Signal) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(signal) }
    }
}
