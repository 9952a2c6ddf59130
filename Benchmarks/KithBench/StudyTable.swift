import Foundation

/// Prints a table, row by row.
struct Table {
    private let widths: [Int]

    /// Prints the header. The first column contains the name of the measurement.
    init(_ columns: String...) {
        widths = columns.enumerated().map { max($1.count, $0 == 0 ? 58 : 14) }
        print()
        row(columns)
        row(columns.map { _ in "----" })
    }

    func row(_ cells: String...) { row(cells) }

    private func row(_ cells: [String]) {
        let padded = zip(cells, widths).map { cell, width in
            cell.padding(toLength: max(width, cell.count), withPad: " ", startingAt: 0)
        }
        print("| \(padded.joined(separator: " | ")) |")
        // Show each row at once, even if the output is a pipe.
        fflush(nil)
    }

    /// Prints a measured time, the time of its floor, and the ratio of the two.
    func row(_ what: String, _ time: Duration, _ floor: Duration) {
        row(what, shown(time), shown(floor), String(format: "%.2f", time / floor))
    }

    private func shown(_ duration: Duration) -> String {
        duration < .milliseconds(100)
            ? String(format: "%.1f µs", duration / .microseconds(1)) : String(format: "%.2f s", duration / .seconds(1))
    }
}

/// The processor time that `body` takes. It does not depend on the other load of the machine.
func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        // POSIX defines `clock()` in microseconds.
        .microseconds(Int64(clock()))
    }
    let start = now()
    try body()
    return now() - start
}

/// The median time of `runs` calls of `body`.
func median(of runs: Int, _ body: (Int) throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for run in 0..<runs { times.append(try clock.measure { try body(run) }) }
    return times.sorted()[runs / 2]
}
