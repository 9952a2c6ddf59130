import Foundation
import KithServer
import Processes
import Synchronization

/// A PostgreSQL server with all its files in a test's folder. It listens only at a socket in that folder.
final class PostgresServer: Sendable {
    /// The server of the suite, if it has the trait ``PostgresServerTrait``.
    @TaskLocal static var current: PostgresServer?

    private let folder: URL
    private let process: Mutex<ChildProcess?>
    private let databases = Mutex(0)

    /// Enough for the tests of a suite that run together: there are up to twenty, each with a database.
    private static let connections = 300

    /// The folder with the programs: the one that `KITH_POSTGRES` names, else that of the newest installed version.
    private static let programs: URL? = {
        if let folder = ProcessInfo.processInfo.environment["KITH_POSTGRES"] { return URL(filePath: folder) }
        let root = URL(filePath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return versions.compactMap { Int($0) }.max().map { root.appending(path: "\($0)/bin") }
    }()

    /// Why the tests with PostgreSQL are skipped; nil if they can run.
    static let missing: String? = {
        guard let programs, FileManager.default.isExecutableFile(atPath: programs.appending(path: "postgres").path)
        else {
            return "PostgreSQL is not installed: apt-get install postgresql"
        }
        return nil
    }()

    /// Whether the server is built without ICU. PyPI's is.
    static var lacksICU: Bool {
        get async throws {
            let options = try await run(program("pg_config"), ["--configure"])
            return String(decoding: options, as: UTF8.self).contains("--without-icu")
        }
    }

    /// Creates the server's files, and starts it.
    init(in folder: Folder) async throws {
        self.folder = folder.url
        process = Mutex(nil)
        try await start()
    }

    // MARK: Running

    /// Starts the server, and waits until it accepts connections.
    func start() async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../../../Scripts/postgres").standardized
        let client = try Self.program("pg_isready")
        let programs = client.deletingLastPathComponent().path
        let log = folder.appending(path: "postgres.out")
        let options = ["-c", "fsync=off", "-c", "max_connections=\(Self.connections)"]
        let new = try await ChildProcess(script, [programs, folder.path] + options, complaints: log)
        process.withLock { $0 = new }
        do {
            // All suites make their servers' files at the same time.
            try await Limit("PostgreSQL listens", .seconds(600)).until(every: .milliseconds(50)) { [folder] in
                guard new.isRunning else { throw InVain("PostgreSQL has not started.") }
                // Before, it is not worth starting a program to ask.
                guard FileManager.default.fileExists(atPath: folder.path + "/.s.PGSQL.5432") else { return false }
                return try await FinishedProcess(client, ["-h", folder.path]).status == 0
            }
        } catch {
            let words = try? String(contentsOf: log, encoding: .utf8)
            throw InVain("\(error) \(words ?? "It has no log.")")
        }
    }

    /// Ends the server in good order: connections are closed, and what they do is undone.
    func stop() async {
        let running = process.withLock { $0 }
        running?.signal(SIGINT)
        await running?.ended()
    }

    // MARK: Databases

    /// The address of the server, without a database.
    var socket: String { "host=\(folder.path) user=postgres" }

    /// Creates an empty database, and returns its address.
    func address(_ arguments: [String] = []) async throws -> String {
        "\(socket) dbname=\(try await newDatabase(arguments))"
    }

    /// Creates an empty database, and returns its address as a URL and as `key=value`.
    func url() async throws -> (url: String, address: String) {
        let name = try await newDatabase()
        return ("postgres://postgres@/\(name)?host=\(folder.path)", "\(socket) dbname=\(name)")
    }

    /// Creates an empty database, and returns its name.
    private func newDatabase(_ arguments: [String] = []) async throws -> String {
        let number = databases.withLock { databases in
            databases += 1
            return databases
        }
        let name = "kith\(number)"
        try await Self.run(
            Self.program("createdb"), ["-h", folder.path, "-U", "postgres", "-T", "template0"] + arguments + [name])
        return name
    }

    /// Hands a new database to `body`, and closes it.
    func withDatabase(
        _ settings: PostgresSettings = .patient, _ body: (PostgresDatabase) async throws -> Void
    ) async throws {
        try await withDatabase(settings) { database, _ in try await body(database) }
    }

    /// Hands a new database and its address to `body`, and closes it.
    func withDatabase(
        _ settings: PostgresSettings = .patient, _ body: (PostgresDatabase, String) async throws -> Void
    ) async throws {
        let address = try await address()
        let database = try await PostgresDatabase(url: address, settings: settings)
        do {
            try await body(database, address)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Runs statements with PostgreSQL's own client, and returns the lines of the answers.
    @discardableResult func sql(_ statements: String..., at address: String? = nil) async throws -> [String] {
        let place = address ?? "\(socket) dbname=postgres"
        let answer = try await Self.run(
            Self.program("psql"),
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"] + statements.flatMap { ["-c", $0] } + [place])
        return String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until a query answers `t`.
    func wait(until condition: String, at address: String) async throws {
        try await Limit(condition).until(every: .milliseconds(50)) {
            try await self.sql("SELECT \(condition)", at: address) == ["t"]
        }
    }

    // MARK: Lost commits

    /// Lets each commit sleep that has added a row to `meta`.
    func letCommitsSleep(at address: String) async throws {
        try await sql(
            """
            CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(100); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER rest AFTER INSERT ON meta DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION rest()
            """, at: address)
    }

    /// Waits until a commit sleeps, and ends its connection.
    func endSleepingCommit(at address: String) async throws {
        let sleeping = "FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'"
        try await wait(until: "count(*) = 1 \(sleeping)", at: address)
        try await sql("SELECT pg_terminate_backend(pid) \(sleeping)", at: address)
    }

    // MARK: Failovers

    /// Starts the server again as a replica that takes over, with the next timeline.
    ///
    /// - Returns: A folder with the data of the old primary, for ``exchangeData(with:)``.
    func failOver() async throws -> URL {
        // The end of the archive, at which a replica takes over, is where it has no further file.
        try await sql("ALTER SYSTEM SET restore_command = 'false'")
        await stop()
        let (data, old) = (folder.appending(path: "data"), folder.appending(path: "old"))
        // The owner stays the same.
        try await Self.run(URL(filePath: "/bin/cp"), ["-a", data.path, old.path])
        try Data().write(to: data.appending(path: "recovery.signal"))
        try await start()
        return old
    }

    /// Starts the server again with the data in another folder, which gets the data that it had.
    func exchangeData(with other: URL) async throws {
        await stop()
        let (data, spare) = (folder.appending(path: "data"), folder.appending(path: "spare"))
        for (from, to) in [(data, spare), (other, data), (spare, other)] {
            try FileManager.default.moveItem(at: from, to: to)
        }
        try await start()
    }

    // MARK: Programs

    private static func program(_ name: String) throws -> URL {
        guard let programs else { throw InVain("PostgreSQL is not installed.") }
        return programs.appending(path: name)
    }

    @discardableResult private static func run(_ program: URL, _ arguments: [String]) async throws -> Data {
        let run = try await FinishedProcess(program, arguments)
        guard run.status == 0 else { throw InVain(String(decoding: run.complaints, as: UTF8.self)) }
        return run.output
    }
}

extension PostgresSettings {
    /// Enough time on every machine, also if it is busy or its disk is slow. A test of a limit sets that limit.
    static var patient: PostgresSettings {
        var settings = PostgresSettings()
        (settings.waitingTime, settings.joinedTime) = (.seconds(120), .seconds(120))
        (settings.statementTime, settings.lockTime) = (.seconds(120), .seconds(120))
        (settings.idleTime, settings.answerTime) = (.seconds(120), .seconds(120))
        settings.connectingTime = .seconds(120)
        return settings
    }
}
