/// The runs of tests against one mutant, until the first that notices it.
struct Trial: Sendable {
    /// One run of the program.
    enum Step: Sendable {
        case suites([String], limit: Command.Limit)
        case seeds(ClosedRange<Int>, limit: Command.Limit)
    }

    let candidate: Candidate
    let steps: [Step]

    func run(with program: TestProgram) throws -> Result {
        let start = ContinuousClock.now
        let environment = ["KITH_MUTANT": String(candidate.number)]
        func result(_ verdict: Result.Verdict, by: String? = nil) -> Result {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            return Result(key: candidate.key, verdict: verdict, by: by, seconds: (seconds * 10).rounded() / 10)
        }
        guard !steps.isEmpty else { return result(.unreached) }
        for step in steps {
            let ending =
                switch step {
                case .suites(let suites, let limit):
                    try program.run(suites, environment: environment, limit: limit)
                case .seeds(let seeds, let limit):
                    try program.simulate(seeds, environment: environment, limit: limit)
                }
            switch ending {
            case .passed: continue
            case .failed(let line): return result(.killed, by: line)
            case .hung: return result(.killed, by: "did not end")
            }
        }
        return result(.survived)
    }
}
