import ArgumentParser
import KithModel
import KithServer

/// `kith admin copy`: copies a server's SQLite database to PostgreSQL.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a server's SQLite database to PostgreSQL.",
        discussion: """
            Stop the server first: the command refuses a database that a server has open, and no server can open it \
            meanwhile. The target must be empty. At the end all tables of both databases are read again, and compared.

            The copy has the id and the epoch of the server, so all devices go on where they were. If the command is \
            stopped, run it again: it goes on where it was. No server starts with an unfinished copy.

            Other users of this machine can see the address. Keep the password in ~/.pgpass, not in the address.
            """)
    @Option(help: ArgumentHelp("The server's database: sqlite:FILE.", valueName: "address"))
    var from: String
    @Option(help: ArgumentHelp("An empty database: postgres://USER@HOST/DATABASE.", valueName: "address"))
    var to: String
    @Flag(help: "Answer in JSON.") var json = false

    func run() async throws {
        let console = Console(isJSON: json)
        let path = try Self.file(from)
        let url = try Self.url(to)
        let source: SQLiteDatabase
        do {
            source = try SQLiteDatabase(besideServer: path)
        } catch let error as ServerError where error.code == .notFound {
            throw Failure.notFound("There is no database \(path). Name the server's: --from sqlite:FILE")
        } catch let error as ServerError {
            throw Self.damage(error, path) ?? Failure(error)
        }
        do {
            let lock = try DatabaseLock(
                of: .file(path), advice: "Stop it: what it writes during the copy would be lost.")
            defer { withExtendedLifetime(lock) {} }
            let target = try PostgresDatabase(copying: source.server, to: url)
            let report = try await Self.copy(source, to: target, console)
            try console.conclude(with: Self.answer(report, of: path))
        } catch let error as ServerError where error.isDamage {
            throw Self.damage(error, path) ?? Failure(error)
        } catch let error as ServerError where error.code == .busy {
            throw Failure(
                .tryAgain, error.code.rawValue,
                "\(error.operatorSentence) When that is mended, the same command goes on where this one has stopped.")
        } catch let error as ServerError {
            throw Failure(error)
        }
    }

    /// The failure if the server's database is damaged: trying again does not help. PostgreSQL reports no damage.
    private static func damage(_ error: ServerError, _ path: String) -> Failure? {
        guard error.isDamage else { return nil }
        return Failure(.failed, ServerError.damaged.rawValue, "\(path) is damaged. Restore a backup.")
    }

    private static func copy(
        _ source: SQLiteDatabase, to target: PostgresDatabase, _ console: Console
    ) async throws -> CopyReport {
        let progress = CopyProgress()
        let copy = DatabaseCopy(from: source, to: target, progress: progress)
        do {
            let report = try await console.progress(progress.words) { try await copy.run() }
            await target.close()
            return report
        } catch {
            await target.close()
            throw error
        }
    }

    // MARK: Addresses

    /// The path in `sqlite:FILE`.
    private static func file(_ address: String) throws -> String {
        if let path = address.wholeMatch(of: /sqlite:(.+)/)?.1 { return String(path) }
        if case .postgres? = try? DatabaseAddress(address) {
            throw Failure.usage(
                "A copy from PostgreSQL is not supported: other servers may write to it. Use --from sqlite:FILE.")
        }
        throw Failure.usage("“\(address)” is not the address of a SQLite database. Write --from sqlite:FILE.")
    }

    /// The URL of a PostgreSQL database.
    private static func url(_ address: String) throws -> String {
        if case .postgres(let url)? = try? DatabaseAddress(address) { return url }
        // It may contain a password, so it is not repeated.
        throw Failure.usage("--to needs the address of a PostgreSQL database: postgres://USER@HOST/DATABASE.")
    }

    // MARK: Answer

    private static func answer(_ report: CopyReport, of path: String) -> CommandAnswer {
        let tables: [Shape] = report.tables.map {
            ["name": $0.name, "rows": $0.digest.rows, "hash": Hex.text($0.digest.hash)]
        }
        return CommandAnswer([
            "server": report.server.description, "epoch": report.epoch, "copied": report.copied, "rows": report.rows,
            "tables": tables, "feeds": report.feeds, "wrongFeeds": report.wrongFeeds.map(\.description),
        ]) { _ in
            [
                "Copied \(report.copied) rows. Both databases have the same \(report.rows) rows "
                    + "in \(report.tables.count) tables.",
                report.verdict,
            ] + CopyReport.nextSteps(afterCopying: path)
        }
    }
}
