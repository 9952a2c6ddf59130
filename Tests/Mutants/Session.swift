import Foundation

/// One run: finds which tests reach which mutants, runs them, and reports.
struct Session {
    let repository: URL
    let state: State
    let folders: TestFolders
    let options: Options
    let program: TestProgram
    let manifest: MutatedCopy.Manifest
    let equivalents: Equivalents

    init(repository: URL, copy: URL, state: State, folders: TestFolders, options: Options) throws {
        self.repository = repository
        self.state = state
        self.folders = folders
        self.options = options
        program = TestProgram(copy: copy)
        manifest = try state.manifest()
        equivalents = try Equivalents(repository)
    }

    func run() async throws {
        let chosen = options.choose(from: manifest.candidates)
        if options.isList {
            for candidate in chosen { print(Report.line(candidate, note(on: candidate))) }
            return
        }
        let report = Report(
            chosen: chosen, refused: manifest.refused, equivalents: equivalents, isJSON: options.isJSON)
        var results = try state.results()
        let due = chosen.filter { candidate in
            guard !manifest.refused.contains(candidate.number), !equivalents.keys.contains(candidate.key) else {
                return false
            }
            guard options.only == nil, let result = results[candidate.key] else { return true }
            return options.isAgain && result.verdict != .killed
        }
        if !due.isEmpty { try await run(due) }
        results = try state.results()
        try report.print(results)
    }

    private func note(on candidate: Candidate) -> String {
        if manifest.refused.contains(candidate.number) { return "does not compile" }
        if equivalents.keys.contains(candidate.key) { return "equivalent" }
        return ""
    }

    private func run(_ due: [Candidate]) async throws {
        let plan = try plan(for: due)
        let queue = WorkQueue(due)
        let state = state
        let program = program
        let options = options
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<options.workers {
                group.addTask {
                    while let (candidate, place) = await queue.next() {
                        let trial = plan.trial(of: candidate, seeds: options.seeds, isQuick: options.isQuick)
                        let result = try trial.run(with: program)
                        try await queue.finish(result, state)
                        Self.say(
                            "\(place)/\(due.count) \(result.verdict.rawValue)  "
                                + "\(Report.line(candidate, result.by ?? ""))  \(Int(result.seconds.rounded())) s")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Runs each suite that may be needed once, without a mutant.
    private func plan(for due: [Candidate]) throws -> Plan {
        let coverage = Coverage(program: program, state: state, size: manifest.size)
        let known = try program.suites()
        var plan = Plan()
        let sources = Set(due.map(\.folder))
        for row in folders.rows where sources.contains(where: { $0 == row.source || $0.hasPrefix(row.source + "/") }) {
            for (distance, folder) in row.tests.enumerated() {
                for suite in try folders.suites(in: folder).intersection(known).sorted() {
                    if plan.runs[suite] == nil {
                        let run = try coverage.run(of: suite, seeds: options.seeds)
                        plan.runs[suite] = run
                        Self.say("\(suite) reaches \(run.reached.count) mutants, \(Int(run.seconds.rounded())) s")
                    }
                    plan.suites[row.source, default: []].append((suite, distance))
                }
            }
        }
        let simulation = try coverage.run(of: Coverage.simulation, seeds: options.seeds)
        Self.say(
            "The simulation reaches \(simulation.reached.count) mutants, \(Int(simulation.seconds.rounded())) s")
        plan.simulation = simulation
        return plan
    }

    /// Progress, beside what is printed at the end.
    static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
