import BenchReport
import Foundation

/// Measures how many worlds of the simulation run in a second, on all cores: worlds of devices and their network, of 120
/// steps each.
enum SimulatedWorlds {
    private struct Failed: Error { let output: String }

    static func measure(_ run: Run) throws {
        let program = run.kith.deletingLastPathComponent().appending(path: "KithSimulation")
        guard FileManager.default.isExecutableFile(atPath: program.path(percentEncoded: false)) else {
            return run.remark("KithSimulation is not built. ./test simulate builds it.")
        }
        let count = run.size(10_000, smoke: 4)
        let process = Process()
        process.executableURL = program
        process.arguments = ["1..\(count)", "--devices", "--minutes", "1"]
        let pipe = Pipe()
        process.standardOutput = pipe
        let start = ContinuousClock.now
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let time = ContinuousClock.now - start
        // “412 of 10000 seeds: the laws hold in 412, and break in 0 (60 s, 6.9 seeds a second).”
        let last = output.split(separator: "\n").last { $0.contains(" of \(count) seeds: ") } ?? ""
        guard process.terminationStatus == 0, let worlds = Int(last.prefix { $0.isNumber }), worlds > 0 else {
            throw Failed(output: output)
        }
        run.line(
            "worlds of the simulation, on all cores", .perSecond(Double(worlds) / (time / .seconds(1))),
            wanted: .atLeast(.perSecond(100)))
    }
}
