import Synchronization

/// Wakes the lanes of the delivery.
package final class DeliveryBell: Sendable {
    private struct State {
        var lanes: [AsyncStream<Void>.Continuation] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Wakes all lanes. A lane that is busy looks again when it is done.
    package func ring() { for lane in state.withLock({ $0.lanes }) { lane.yield() } }

    /// Ends the delivery.
    func end() {
        let lanes = state.withLock { state in
            defer { state = State(lanes: [], hasEnded: true) }
            return state.lanes
        }
        for lane in lanes { lane.finish() }
    }

    /// Receives an element at once, because messages may wait, and another one for each ``ring()``. Each lane has a stream of its
    /// own.
    package func stream() -> AsyncStream<Void> {
        let (stream, lane) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        lane.yield()
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.lanes.append(lane) }
            return state.hasEnded
        }
        if hasEnded { lane.finish() }
        return stream
    }
}
