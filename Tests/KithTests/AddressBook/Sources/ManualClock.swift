import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: _Concurrency.Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var next = 0
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, waiting): (Bool, [CheckedContinuation<Void, Never>]) = state.withLock { state in
                    if Task.isCancelled || state.now >= deadline { return (true, []) }
                    state.sleepers[id] = (deadline, continuation)
                    defer { state.waiting = [] }
                    return (false, state.waiting)
                }
                for one in waiting { one.resume() }
                if isOver { continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(())) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns when someone sleeps.
    func asleep() async {
        await withCheckedContinuation { continuation in
            let isAsleep = state.withLock { state in
                if state.sleepers.isEmpty { state.waiting.append(continuation) }
                return !state.sleepers.isEmpty
            }
            if isAsleep { continuation.resume() }
        }
    }

    /// Waits until someone sleeps, and lets this time pass for them.
    func pass(_ duration: Duration) async {
        await asleep()
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
