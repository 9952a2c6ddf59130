import Foundation
import Kith
import KithModel
import KithServer

/// Prints a table in which each row stands beside its floor, measured in the same run.
///
/// Times are medians over many runs, in microseconds unless said otherwise. They
/// are for comparing, not for asserting: no test depends on them.
@main struct Bench {
    static func main() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kith-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let table = Table()
        table.head()
        try EditsAndReads(folder: folder).measure(into: table)
        try Reading(records: 1_000, folder: folder).measure(into: table)
        try Reading(records: 100_000, folder: folder).measure(into: table)
        try Reading(records: 1, folder: folder).measureLists(100, into: table)
        try Reading(records: 1, folder: folder).measureLists(999, into: table)
    }
}

/// The printed table.
struct Table {
    func head() {
        row("what", "Kith", "floor: SQLite’s C API", "ratio")
        row("----", "----", "----", "----")
    }

    func row(_ what: String, _ kith: String, _ floor: String, _ ratio: String) {
        func padded(_ text: String, _ width: Int) -> String {
            text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
        }
        print("| \(padded(what, 58)) | \(padded(kith, 24)) | \(padded(floor, 22)) | \(padded(ratio, 6)) |")
    }

    func row(_ what: String, _ kith: Duration, _ floor: Duration) {
        row(what, microseconds(kith), microseconds(floor), String(format: "%.2f", kith / floor))
    }

    func microseconds(_ duration: Duration) -> String {
        String(format: "%.1f µs", duration / .microseconds(1))
    }
}

/// The median time of `body` over `runs`.
func median(of runs: Int, _ body: (Int) throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for run in 0..<runs { times.append(try clock.measure { try body(run) }) }
    return times.sorted()[runs / 2]
}
