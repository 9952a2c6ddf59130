import Synchronization

/// The objects that other modules attach to a client. There is one part of each type, created at its first use.
///
/// `KithAddressBook` and `KithDiscovery` each add a property to ``KithClient``. An app that does not import these
/// modules does not link their dependencies.
package final class ClientParts: Sendable {
    private struct State {
        var parts: [ObjectIdentifier: any Sendable] = [:]
        var running: [any RunningPart] = []
        /// Receives the parts that are created while the client runs.
        var runs: [Int: AsyncStream<any RunningPart>.Continuation] = [:]
        var numbers = 0
    }

    private let state = Mutex(State())

    /// The part of a type. If two threads ask for a new part at the same time, both may create one; only one is kept,
    /// and both threads receive it.
    ///
    /// - Parameters:
    ///   - type: The part's type.
    ///   - make: Creates the part.
    /// - Returns: The client's only part of the type.
    package func part<Part: Sendable>(_ type: Part.Type = Part.self, make: () -> Part) -> Part {
        let id = ObjectIdentifier(type)
        if let part = state.withLock({ $0.parts[id] as? Part }) { return part }
        let made = make()
        return state.withLock { state in
            if let earlier = state.parts[id] as? Part { return earlier }
            state.parts[id] = made
            if let part = made as? any RunningPart {
                state.running.append(part)
                for run in state.runs.values { run.yield(part) }
            }
            return made
        }
    }

    /// The parts that run with the client: the existing ones, then each new one.
    func running() -> AsyncStream<any RunningPart> {
        AsyncStream { continuation in
            let number = state.withLock { state in
                for part in state.running { continuation.yield(part) }
                state.numbers += 1
                state.runs[state.numbers] = continuation
                return state.numbers
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.runs.removeValue(forKey: number) }
            }
        }
    }
}
