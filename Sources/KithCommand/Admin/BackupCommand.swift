import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin backup`: makes a backup of a server's SQLite database.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Make a backup of a server's SQLite database.",
        discussion: """
            The server may run, and devices may write meanwhile. The backup is one file, which only its owner can read. It is \
            checked before it gets its name: a damaged database never replaces a good backup.

            The secret keys of discovery are in a file of their own, and not in the backup. PostgreSQL has backups of its own: \
            see Documentation/Operations.md.
            """)
    @Argument(help: "The file of the backup.", completion: .file()) var file: String
    @Flag(help: "Replace the file if it exists.") var force = false
    @OptionGroup var files: ServerFiles

    func run() async throws {
        let console = Console(isJSON: files.json)
        guard !file.isEmpty else { throw Failure.usage("Name the file of the backup: kith admin backup FILE.") }
        do {
            let configuration = try AdminContext.configuration(naming: files)
            guard case .file(let database) = try DatabaseAddress(configuration.database) else {
                throw Failure.usage(
                    "This command is for SQLite. PostgreSQL has backups of its own, such as pg_dump: see "
                        + "Documentation/Operations.md.")
            }
            let time = Date()
            let backup = try await make(of: database, console)
            let keys = configuration.discoveryKeyPath
            let hasKeys = FileManager.default.fileExists(atPath: keys)
            try console.conclude(with: answer(backup, at: time, keys: hasKeys ? keys : nil))
        } catch let error as ServerError {
            throw Failure(error)
        }
    }

    /// Makes the backup on a thread of its own, because SQLite blocks it.
    private func make(of database: String, _ console: Console) async throws -> SQLiteBackup {
        let progress = CopyProgress()
        let (file, force) = (file, force)
        return try await console.progress(progress.words) {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try SQLiteBackup.make(of: database, at: file, replacing: force, progress: progress)
                        })
                }
            }
        }
    }

    private func answer(_ backup: SQLiteBackup, at time: Date, keys: String?) -> CommandAnswer {
        let shape: Shape = [
            "file": file, "bytes": backup.bytes, "records": backup.records, "accounts": backup.accounts,
            "server": backup.server.description, "time": time, "discoveryKeyFile": keys,
        ]
        let file = file
        return CommandAnswer(shape) { _ in
            var lines = [
                "\(file): \(backup.bytes) bytes; records: \(backup.records), accounts: \(backup.accounts).",
                "The server \(backup.server), at \(Timestamp(time).internetTime). The check found no damage.",
            ]
            if let keys {
                lines.append(
                    "The secret keys of discovery are not in it: copy \(keys) as well, and keep it apart from the backup."
                )
            }
            return lines.map(\.printable)
        }
    }
}
