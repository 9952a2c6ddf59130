import BenchReport
import Foundation

/// The run of one row: its folder, its size, and the output for its lines.
final class Run {
    /// A folder of its own, which is removed afterwards.
    let folder: URL
    /// Whether the row should be small, to show only that it works.
    let isSmoke: Bool
    /// The release build of the command `kith`, beside this program.
    let kith = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "kith")
    private let row: String
    private let show: (Line) -> Void

    init(_ row: String, folder: URL, isSmoke: Bool, show: @escaping (Line) -> Void) {
        self.row = row
        self.folder = folder
        self.isSmoke = isSmoke
        self.show = show
    }

    /// A size: `full`, or `small` for a run that shows only that the row works.
    func size(_ full: Int, smoke small: Int) -> Int { isSmoke ? small : full }

    /// Adds a line to the table.
    func line(_ what: String, _ kith: Amount, beside reference: Line.Reference? = nil, wanted goal: Goal? = nil) {
        show(Line(row: row, what: what, kith: kith, reference: reference, goal: goal))
    }

    /// Says why a line is missing, such as a peer that is not installed.
    func remark(_ text: String) { FileHandle.standardError.write(Data("\(row): \(text)\n".utf8)) }

    // MARK: All rows

    /// Runs the rows one after another, and shows each line as soon as it is measured.
    static func measure(
        _ rows: [Row], in folder: URL, isSmoke: Bool, into output: FileHandle
    ) async -> (report: Report, failures: Int) {
        var report = Report(date: .now, machine: .current, isSmoke: isSmoke)
        var failures = 0
        func say(_ text: String) { output.write(Data("\(text)\n".utf8)) }
        if !rows.isEmpty { say("\(report.machine)\n\n\(Report.textHeader)") }
        for row in rows {
            let place = folder.appending(path: row.name)
            var lines: [Line] = []
            do {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                try await row.measure(
                    Run(row.name, folder: place, isSmoke: isSmoke) { line in
                        lines.append(line)
                        say(Report.text(line))
                    })
            } catch {
                failures += 1
                say("\(row.name) FAILED: \(error)")
            }
            report.lines += lines
            try? FileManager.default.removeItem(at: place)
        }
        if !rows.isEmpty { say("\n\(report.summary)\(isSmoke ? ", but the rows ran small" : "").") }
        return (report, failures)
    }
}
