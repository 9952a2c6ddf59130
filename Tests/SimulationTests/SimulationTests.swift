import Foundation
import Testing

/// Many worlds, each under one seed. `./test simulate --seeds A..B` runs any of them.
@Suite("Simulation") struct SimulationTests {
    /// The seeds to run: `KITH_SEEDS=A..B`, or the first hundred.
    static let seeds: ClosedRange<UInt64> = {
        guard let text = ProcessInfo.processInfo.environment["KITH_SEEDS"] else { return 1...100 }
        let ends = text.split(separator: ".", omittingEmptySubsequences: true).compactMap { UInt64($0) }
        precondition(ends.count == 2 && ends[0] <= ends[1], "KITH_SEEDS is written A..B, with A no more than B.")
        return ends[0]...ends[1]
    }()

    /// The seeds whose worlds of accounts are run too: real clients and real servers, ten times as slow as the others.
    static let seedsOfAccounts = seeds.prefix(60)

    @Test("The laws hold in every world") func lawsHold() async throws {
        if ProcessInfo.processInfo.environment["KITH_STOP"] == "first" {
            // Looking for a planted bug: the first seed that shows it is enough.
            for seed in Self.seeds {
                guard let failure = await Self.failure(of: seed) else { continue }
                Issue.record("\(failure)")
                return
            }
            return
        }
        // A share for each core; each world is alone in its thread.
        let seeds = Array(Self.seeds)
        let workers = min(seeds.count, max(1, ProcessInfo.processInfo.activeProcessorCount))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for seed in seeds where seed % UInt64(workers) == UInt64(worker) {
                        if let failure = await Self.failure(of: seed) { Issue.record("\(failure)") }
                    }
                }
            }
        }
    }

    @Test("A replay is identical to the byte") func replayIsIdentical() async throws {
        for seed in [Self.seeds.lowerBound, Self.seeds.lowerBound + 7, Self.seeds.lowerBound + 31] {
            #expect(try Self.timeline(of: seed) == Self.timeline(of: seed))
            let first = try await Self.accountsTimeline(of: seed)
            let second = try await Self.accountsTimeline(of: seed)
            #expect(first == second)
        }
    }

    /// Each seed has a world of devices and their network; some have one of accounts and servers too.
    private static func failure(of seed: UInt64) async -> String? {
        do {
            try World(seed: seed).run()
            if seedsOfAccounts.contains(seed) { try await AccountsWorld(seed: seed).run() }
            return nil
        } catch let broken as LawBroken {
            return broken.description
        } catch {
            return "Seed \(seed): \(error)\nReplay: ./test simulate --seeds \(seed)..\(seed)"
        }
    }

    private static func timeline(of seed: UInt64) throws -> [String] {
        let world = try World(seed: seed)
        do { try world.run() } catch is LawBroken {}
        return world.timeline
    }

    private static func accountsTimeline(of seed: UInt64) async throws -> [String] {
        let world = try AccountsWorld(seed: seed)
        do { try await world.run() } catch is LawBroken {}
        return world.timeline
    }
}
