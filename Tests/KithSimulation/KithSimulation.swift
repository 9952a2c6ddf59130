import Foundation
import KithServer
import Simulation

/// Runs worlds of the simulation on every core, as fast as they go.
///
///     KithSimulation A..B           the worlds of these seeds
///     KithSimulation A..B --first   until one breaks a law: which of them is the first, and how
///     --postgres ADDRESS            the servers have their databases in PostgreSQL, in schemas of their own. ADDRESS is
///                                   libpq's, in the form key=value. `./test simulate --postgres` starts a PostgreSQL
///     --devices                     only the worlds of devices and their network, not those of complete clients
///     --versions C,S                every second device is C versions older, and the server S versions (0 to 3)
///     --minutes N                   begins no seed after N minutes, and says how many were not run
@main enum KithSimulation {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            let options = "[--first] [--devices] [--versions C,S] [--minutes N] [--postgres ADDRESS]"
            fail("usage: KithSimulation A..B \(options)", code: 64)
        }
        SQLiteMemory.stopCounting()
        let storage: ServerStorage
        do {
            storage = try arguments.postgres.map { ServerStorage.postgres(try PostgresSchemas($0)) } ?? .memory
        } catch {
            fail("PostgreSQL cannot be used. \(error)", code: 69)
        }
        let run = Run(arguments, storage: storage)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<cores { group.addTask { await run.work() } }
        }
        exit(run.end() ? 0 : 1)
    }

    private static func fail(_ words: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data((words + "\n").utf8))
        exit(code)
    }
}
