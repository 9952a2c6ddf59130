import Foundation
import Simulation
import Testing

/// A few worlds, each under one seed. `./test simulate --seeds A..B` runs any number of them, optimised.
@Suite("Simulation") struct SimulationTests {
    static let seeds = (1...30).map { Seed($0) }

    @Test("The laws hold in every world") func lawsHold() async {
        await withTaskGroup(of: Void.self) { group in
            // A share for each core; each world is alone in its thread.
            let workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
            for worker in 0..<workers {
                group.addTask {
                    for seed in Self.seeds where seed.number % UInt64(workers) == UInt64(worker) {
                        if let failure = await seed.failure() { Issue.record("\(failure)") }
                    }
                }
            }
        }
    }

    @Test("A replay is identical to the byte", arguments: [1, 8, 32] as [UInt64])
    func replayIsIdentical(seed: UInt64) async throws {
        let first = try await Seed(seed).timelines()
        let second = try await Seed(seed).timelines()
        #expect(first == second)
    }

    @Test("The auditor of sharing often knows in advance what the server has to decide")
    func sharingIsJudged() async throws {
        var coverage = SharingCoverage()
        for number in UInt64(1)...20 {
            let one = try await Seed(number).sharingCoverage()
            coverage = coverage + one
        }
        #expect(coverage.signUps > 0 && coverage.lateCodes > 0, "\(coverage)")
        #expect(coverage.decisions > 0 && coverage.earlyEvents > 0 && coverage.rewards > 0, "\(coverage)")
    }
}
