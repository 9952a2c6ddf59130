import Foundation
import KithServer
import Simulation

/// Runs worlds of the simulation on every core, as fast as they go.
///
///     KithSimulation A..B           the worlds of these seeds
///     KithSimulation A..B --first   until one breaks a law: which of them is the first, and how
///     --devices                     only the worlds of devices and their network, not those of complete clients
///     --minutes N                   begins no seed after N minutes, and says how many were not run
@main enum KithSimulation {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            let usage = "usage: KithSimulation A..B [--first] [--devices] [--minutes N]\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        SQLiteMemory.stopCounting()
        let run = Run(arguments)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<cores { group.addTask { await run.work() } }
        }
        exit(run.end() ? 0 : 1)
    }
}
