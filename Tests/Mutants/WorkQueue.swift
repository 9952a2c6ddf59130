/// The mutants that wait for a worker, and the one place where results are written.
actor WorkQueue {
    private var waiting: ArraySlice<Candidate>
    private var taken = 0

    init(_ candidates: [Candidate]) { waiting = candidates[...] }

    /// The next one, with how many were taken before it and with it.
    func next() -> (Candidate, Int)? {
        guard let candidate = waiting.popFirst() else { return nil }
        taken += 1
        return (candidate, taken)
    }

    func finish(_ result: Result, _ state: State) throws { try state.append(result) }
}
