import ArgumentParser
import KithModel
import KithServer

/// `kith admin check`: checks a server's SQLite database.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a server's SQLite database for damage.",
        discussion: """
            It reads everything: the structure of the file, all values, the digests of all feeds, and what rows refer to. The \
            server may run meanwhile. Faults are named by tables and ids, and nothing that people have written is shown.

            The exit code is 1 if there is a fault. See Documentation/Operations.md, “A damaged database”.
            """)
    @OptionGroup var files: ServerFiles

    func run() async throws {
        let console = Console(isJSON: files.json)
        let answer: CommandAnswer
        do {
            let configuration = try AdminContext.configuration(naming: files)
            guard case .file(let database) = try DatabaseAddress(configuration.database) else {
                throw Failure.usage("This command is for SQLite. PostgreSQL has pg_amcheck.")
            }
            let progress = CopyProgress()
            let check = try await console.progress(progress.words) {
                try await DatabaseCheck.run(of: database, progress: progress)
            }
            answer = Self.answer(check)
        } catch let error as ServerError {
            throw Failure(error)
        }
        try console.say(answer)
        try answer.end()
    }

    private static func answer(_ check: DatabaseCheck) -> CommandAnswer {
        let faults = check.faults.map { fault in
            ["kind": fault.kind.rawValue, "table": fault.table, "ids": fault.ids, "detail": fault.detail] as Shape
        }
        let shape: Shape = [
            "server": check.server.description, "tables": check.tables, "rows": check.rows,
            "feeds": check.comparedFeeds, "count": check.count, "faults": faults,
        ]
        return CommandAnswer(shape, status: check.count == 0 ? .done : .failed) { _ in
            let read = "Tables: \(check.tables), rows: \(check.rows), feeds: \(check.comparedFeeds)."
            if check.count == 0 { return [read, "No fault was found."] }
            let more = check.count > check.faults.count ? ["There are \(check.count - check.faults.count) more."] : []
            return [read, "Faults: \(check.count)."] + check.faults.map { line($0).printable } + more
        }
    }

    private static func line(_ fault: DatabaseCheck.Fault) -> String {
        let row = ([fault.table ?? "the file"] + fault.ids).joined(separator: " ")
        return switch fault.kind {
        case .structure: "\(row): the structure is damaged\(fault.detail.map { ": \($0)" } ?? "")"
        case .value: "\(row): a value cannot be read"
        case .digest: "\(row): the digest does not fit the records; report this as a bug"
        case .reference: "\(row): rows of this table belong to a missing one"
        }
    }
}
