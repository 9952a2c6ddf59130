import Kith
import Synchronization

/// Holds the answers of rounds until a test lets them go, and counts how many rounds are under way at once.
final class AnswerGate: Sendable {
    private struct State {
        var isClosed = false
        var losesAnswers = false
        var held: [CheckedContinuation<Void, Never>] = []
        var underWay = 0
        var most = 0
    }

    private let state = Mutex(State())

    /// How many answers are held at this moment.
    var held: Int { state.withLock { $0.held.count } }
    /// The largest number of rounds that were ever under way at once.
    var most: Int { state.withLock { $0.most } }

    /// From now on answers are held.
    func close() { state.withLock { $0.isClosed = true } }

    /// Lets all answers through: those that are held, and all later ones.
    func open() { letGo(losing: false) }

    /// The answers that are held are lost, and so are all later ones until the gate is opened.
    func lose() { letGo(losing: true) }

    private func letGo(losing: Bool) {
        let held = state.withLock { state in
            let held = state.held
            state.isClosed = false
            state.losesAnswers = losing
            state.held = []
            return held
        }
        for continuation in held { continuation.resume() }
    }

    /// Passes one answer through the gate: runs between the server's work and the device's.
    func pass() async throws {
        state.withLock { state in
            state.underWay += 1
            state.most = max(state.most, state.underWay)
        }
        defer { state.withLock { $0.underWay -= 1 } }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isHeld = state.withLock { state in
                if state.isClosed { state.held.append(continuation) }
                return state.isClosed
            }
            if !isHeld { continuation.resume() }
        }
        // A second round, if one could begin now, gets the chance to.
        for _ in 0..<20 { await Task.yield() }
        if state.withLock({ $0.losesAnswers }) { throw KithError(.offline, "The answer is lost.") }
    }
}
