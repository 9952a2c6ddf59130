import Foundation
import Simulation

/// Runs worlds of the simulation on every core, as fast as they go.
///
///     KithSimulation A..B           the worlds of these seeds
///     KithSimulation A..B --first   until one breaks a law: which of them is the first, and how
///     --minutes N                   begins no seed after N minutes, and says how many were not run
@main enum KithSimulation {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data("usage: KithSimulation A..B [--first] [--minutes N]\n".utf8))
            exit(64)
        }
        let run = Run(arguments)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<cores { group.addTask { await run.work() } }
        }
        exit(run.end() ? 0 : 1)
    }
}
