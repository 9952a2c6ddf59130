import Foundation

/// Which mutants each suite reaches, found once for each build by running it without a mutant.
struct Coverage {
    /// One suite's run without a mutant.
    struct Run: Codable {
        var seconds: Double
        /// How many seconds of the processors it took.
        var processor: Double
        var passed: Bool
        /// The numbers of the mutants whose places it reaches.
        var reached: Set<Int>
    }

    /// The name under which the simulation's run is kept.
    static let simulation = "SimulationTests.SimulationTests"

    let program: TestProgram
    let state: State
    let size: Int

    /// The suite's run: the last one, if the program has not changed since.
    func run(of suite: String, seeds: Int) throws -> Run {
        let folder = state.folder.appending(path: "reached")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = suite == Self.simulation ? "\(suite)-\(seeds)" : suite
        let place = folder.appending(path: "\(name).json")
        if let made = Self.date(of: place), let built = Self.date(of: program.executable), made > built,
            let run = try? JSONDecoder().decode(Run.self, from: Data(contentsOf: place))
        {
            return run
        }
        let marks = folder.appending(path: "\(name).bytes")
        try Data(count: size).write(to: marks)
        let start = ContinuousClock.now
        let used = Self.processorTime()
        let environment = ["KITH_MUTANTS_REACHED": marks.path(percentEncoded: false)]
        let ending =
            suite == Self.simulation
            ? try program.simulate(1...seeds, environment: environment, limit: .unknown)
            : try program.run([suite], environment: environment, limit: .unknown)
        let duration = ContinuousClock.now - start
        let bytes = try Data(contentsOf: marks)
        let run = Run(
            seconds: duration / .seconds(1), processor: Self.processorTime() - used, passed: ending.hasPassed,
            reached: Set(bytes.indices.filter { bytes[$0] != 0 }))
        try JSONEncoder().encode(run).write(to: place)
        try FileManager.default.removeItem(at: marks)
        if case .failed(let line) = ending { print("Without a mutant, \(suite) fails: \(line)") }
        return run
    }

    /// What the programs that have ended used of the processors, in seconds.
    private static func processorTime() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }

    private static func date(of file: URL) -> Date? {
        try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))[.modificationDate] as? Date
    }
}

extension Command.Ending {
    var hasPassed: Bool { if case .passed = self { true } else { false } }
}
