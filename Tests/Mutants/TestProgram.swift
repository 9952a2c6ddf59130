import Foundation

/// The program that has all tests, with all mutants.
struct TestProgram {
    let copy: URL

    var executable: URL { copy.appending(path: ".build/release/KithPackageTests.xctest") }

    /// The suites, as `Target.Suite`.
    func suites() throws -> Set<String> {
        let listed = try Command.output([
            executable.path(percentEncoded: false), "--testing-library", "swift-testing", "--list-tests",
        ])
        return Set(listed.split(separator: "\n").compactMap { $0.split(separator: "/").first.map(String.init) })
    }

    /// Runs these suites until a test fails.
    func run(_ suites: [String], environment: [String: String], limit: Command.Limit) throws -> Command.Ending {
        let names = suites.map { $0.replacing(".", with: "\\.") }.joined(separator: "|")
        return try start("^(\(names))/", environment: environment, limit: limit)
    }

    /// Runs the simulation with these seeds until a law breaks.
    func simulate(
        _ seeds: ClosedRange<Int>, environment: [String: String], limit: Command.Limit
    ) throws -> Command.Ending {
        let more = ["KITH_SEEDS": "\(seeds.lowerBound)..\(seeds.upperBound)", "KITH_STOP": "first"]
        return try start(
            "SimulationTests.lawsHold", environment: environment.merging(more) { $1 }, limit: limit)
    }

    private func start(
        _ filter: String, environment: [String: String], limit: Command.Limit
    ) throws -> Command.Ending {
        try Command.runTests(
            executable, ["--testing-library", "swift-testing", "--filter", filter], in: copy,
            environment: environment, limit: limit)
    }
}
