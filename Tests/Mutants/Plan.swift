/// Which tests each mutant needs.
struct Plan: Sendable {
    /// Each suite's run without a mutant.
    var runs: [String: Coverage.Run] = [:]
    /// The suites for each folder of sources, with how far they are from it.
    var suites: [String: [(suite: String, distance: Int)]] = [:]
    var simulation = Coverage.Run(seconds: 0, passed: true, reached: [])

    /// The runs for one mutant: the nearest tests, a few seeds, the other tests, the other seeds.
    func trial(of candidate: Candidate, seeds: Int) -> Trial {
        let reaching = suites.filter { candidate.folder == $0.key || candidate.folder.hasPrefix($0.key + "/") }
            .flatMap(\.value)
            .filter { runs[$0.suite].map { $0.passed && $0.reached.contains(candidate.number) } ?? false }
            .sorted { runs[$0.suite]?.seconds ?? 0 < runs[$1.suite]?.seconds ?? 0 }
        var steps: [Trial.Step] = []
        func add(_ chosen: [(suite: String, distance: Int)]) {
            guard !chosen.isEmpty else { return }
            let seconds = chosen.reduce(0) { $0 + (runs[$1.suite]?.seconds ?? 0) }
            steps.append(.suites(chosen.map(\.suite), limit: .seconds(Int(30 + 6 * seconds))))
        }
        let isSimulated = simulation.passed && simulation.reached.contains(candidate.number)
        let limit = Duration.seconds(Int(30 + 6 * simulation.seconds))
        let few = min(3, seeds)
        add(reaching.filter { $0.distance == 0 })
        if isSimulated { steps.append(.seeds(1...few, limit: limit)) }
        add(reaching.filter { $0.distance > 0 })
        if isSimulated, few < seeds { steps.append(.seeds((few + 1)...seeds, limit: limit)) }
        return Trial(candidate: candidate, steps: steps)
    }
}
