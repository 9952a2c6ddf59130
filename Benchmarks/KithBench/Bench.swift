import ArgumentParser
import BenchReport
import Foundation

/// Measures Kith beside lower bounds and peers, in one run.
///
/// The figures are for comparison only. No test depends on them.
@main struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "./bench",
        abstract: "Measures Kith beside plain SQLite and other servers, in one table.",
        discussion: """
            Without a name, all rows of the table run, except “nodes”, which takes long. A row's name runs only that \
            row; a study's name runs that study, which has a table of its own. --list shows the names.

            The figures depend on the machine and its load: compare only lines of the same run.
            """)

    @Argument(help: "Rows of the table, or studies.")
    var names: [String] = []

    @Flag(help: "List the rows and the studies.")
    var list = false

    @Flag(
        help: """
            Run each row small, to see that it works, and also “nodes” and the study “sharing” if nothing is named. The \
            figures then say nothing.
            """)
    var smoke = false

    @Option(help: "Write the table as JSON to a file; - is the standard output, and the table goes to standard error.")
    var json: String?

    @Option(help: "Write the table as Markdown to a file.")
    var markdown: String?

    @Option(help: "Write a picture of the table (SVG) to a file.")
    var svg: String?

    func validate() throws {
        let known = (Row.all + Row.long).map(\.name) + Study.allCases.map(\.rawValue)
        if let name = names.first(where: { !known.contains($0) }) {
            throw ValidationError("There is no row “\(name)”. ./bench --list shows the names.")
        }
    }

    func run() async throws {
        guard !list else { return Self.showNames() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let report = await Run.measure(
            rows, in: folder, isSmoke: smoke, into: json == "-" ? .standardError : .standardOutput)
        for study in studies { try await study.measure(in: folder, isSmoke: smoke) }
        try write(report.report)
        try? FileManager.default.removeItem(at: folder)
        // `exit` would destroy the tables of C++ libraries such as libphonenumber while threads still use them.
        fflush(nil)
        _exit(report.failures == 0 ? 0 : 1)
    }

    /// The rows that are named; all rows if nothing is.
    private var rows: [Row] {
        guard names.isEmpty else { return (Row.all + Row.long).filter { names.contains($0.name) } }
        return smoke ? Row.all + Row.long : Row.all
    }

    /// The studies that are named; those that can be small in a whole run that is small.
    private var studies: [Study] {
        // The table of a study is printed, and is not part of the JSON.
        let isWholeAndSmall = smoke && names.isEmpty && json != "-"
        return Study.allCases.filter { isWholeAndSmall ? $0.canBeSmall : names.contains($0.rawValue) }
    }

    private static func showNames() {
        let names = (Row.all + Row.long).map { ($0.name, $0.about) } + Study.allCases.map { ($0.rawValue, $0.about) }
        for (name, about) in names {
            print(name.padding(toLength: 14, withPad: " ", startingAt: 0) + about)
        }
    }

    private func write(_ report: Report) throws {
        if json == "-" {
            FileHandle.standardOutput.write(try report.json() + Data("\n".utf8))
        } else if let json {
            try report.json().write(to: URL(filePath: json))
        }
        if let markdown { try Data(report.markdown.utf8).write(to: URL(filePath: markdown)) }
        if let svg { try Data(report.svg.utf8).write(to: URL(filePath: svg)) }
    }
}

extension Bench {
    /// Runs the part of a measurement that has a process of its own, if the arguments ask for one.
    static func main() async {
        do {
            if try await ChildProcess.run(Array(CommandLine.arguments.dropFirst())) { return }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}
