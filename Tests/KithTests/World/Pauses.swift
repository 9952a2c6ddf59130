import Kith
import KithModel
import Synchronization

/// The pauses that a client makes: each is noted, and lasts until a test ends it or its task is cancelled.
final class Pauses: Sendable {
    private struct State {
        var asked: [Duration] = []
        var underWay: [Int: (duration: Duration, end: AsyncStream<Void>.Continuation)] = [:]
    }

    private let state = Mutex(State())

    /// Every pause so far, in the order of their beginning.
    var asked: [Duration] { state.withLock(\.asked) }
    /// Those that have not ended, the shortest first.
    var underWay: [Duration] { state.withLock { $0.underWay.values.map(\.duration).sorted() } }

    /// Makes a pause.
    func pause(_ duration: Duration) async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let number = state.withLock { state in
            state.asked.append(duration)
            state.underWay[state.asked.count] = (duration, end)
            return state.asked.count
        }
        defer { state.withLock { $0.underWay[number] = nil } }
        for await _ in ends { return }
        try Task.checkCancellation()
    }

    /// Ends the pauses that are under way and no longer than this.
    func end(upTo longest: Duration) {
        for pause in state.withLock({ Array($0.underWay.values) }) where pause.duration <= longest { pause.end.yield() }
    }

    /// A world in which the clock stands and these pauses are made.
    func dependencies(_ clock: Clock, seed: UInt64 = 1) -> Dependencies {
        Dependencies(
            now: { clock.now }, random: RandomSource(SplitMix64(seed: seed)),
            pause: { [self] in try await pause($0) })
    }
}
