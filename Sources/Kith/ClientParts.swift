import Synchronization

/// What other modules have in a client: one part of each type, made when it is first asked for.
///
/// `KithAddressBook` and `KithDiscovery` add a property each to ``KithClient``. An app that does not import them links
/// nothing of what they need.
package final class ClientParts: Sendable {
    private struct State {
        var parts: [ObjectIdentifier: any Sendable] = [:]
        var running: [any RunningPart] = []
        /// Where parts go that are made while the client runs.
        var runs: [Int: AsyncStream<any RunningPart>.Continuation] = [:]
        var numbers = 0
    }

    private let state = Mutex(State())

    /// The part of a type. Where two threads ask for it at once, both may make one; one is kept, and both get that.
    ///
    /// - Parameters:
    ///   - type: The part's type.
    ///   - make: Makes the part.
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

    /// The parts that run with the client: those there are, and each that is made later.
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
