/// Which tests each mutant needs.
struct Plan: Sendable {
    /// Each suite's run without a mutant.
    var runs: [String: Coverage.Run] = [:]
    /// The suites for each folder of sources, with how far they are from it.
    var suites: [String: [(suite: String, distance: Int)]] = [:]
    var simulation = Coverage.Run(seconds: 0, processor: 0, passed: true, reached: [])

    /// The runs for one mutant: the nearest tests, a few seeds, the other tests, the other seeds. A quick trial has only the
    /// first two.
    func trial(of candidate: Candidate, seeds: Int, isQuick: Bool) -> Trial {
        let reaching = suites.filter { candidate.folder == $0.key || candidate.folder.hasPrefix($0.key + "/") }
            .flatMap(\.value)
            .filter { runs[$0.suite].map { $0.passed && $0.reached.contains(candidate.number) } ?? false }
            .sorted { runs[$0.suite]?.processor ?? 0 < runs[$1.suite]?.processor ?? 0 }
        var steps: [Trial.Step] = []
        func add(_ chosen: [(suite: String, distance: Int)]) {
            guard !chosen.isEmpty else { return }
            let processor = chosen.reduce(0) { $0 + (runs[$1.suite]?.processor ?? 0) }
            steps.append(.suites(chosen.map(\.suite), limit: Command.Limit(processor: processor)))
        }
        func simulate(_ range: ClosedRange<Int>) {
            guard simulation.passed, simulation.reached.contains(candidate.number) else { return }
            let share = Double(range.count) / Double(seeds)
            steps.append(.seeds(range, limit: Command.Limit(processor: simulation.processor * share)))
        }
        let few = min(3, seeds)
        add(reaching.filter { $0.distance == 0 })
        simulate(1...few)
        if isQuick, !steps.isEmpty { return Trial(candidate: candidate, steps: steps) }
        add(reaching.filter { $0.distance > 0 })
        if few < seeds { simulate((few + 1)...seeds) }
        return Trial(candidate: candidate, steps: steps)
    }
}
