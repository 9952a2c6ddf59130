import Foundation

/// PostgreSQL with databases of its own, for as long as a row or a study runs.
final class PostgresCluster {
    let port: Int
    /// The folder with the programs of PostgreSQL.
    let programs: String
    private let place: URL
    private let process: PeerProcess

    /// The address of the first database for its clients.
    var url: String { url(of: "postgres") }

    /// Starts PostgreSQL; nil if it is not installed.
    ///
    /// - Parameters:
    ///   - place: The folder in which it gets one of its own.
    ///   - settings: What differs from the default settings, such as `max_connections=200`.
    /// - Throws: ``PeerProcess/Failed`` if it does not start.
    init?(in place: URL, settings: [String] = []) throws {
        guard let programs = Self.programs(in: "/usr/lib/postgresql") else { return nil }
        (self.programs, self.place) = (programs, place)
        let folder = place.appending(path: "postgres-\(UUID().uuidString)").path()
        let port = try FreePort.find()
        self.port = port
        let script = URL(filePath: "Scripts/postgres").absoluteURL.path()
        let command = [script, programs, folder, "-h", "127.0.0.1", "-p", String(port), "-k", ""]
        process = try PeerProcess(command + settings.flatMap { ["-c", $0] }, in: place)
        try process.wait {
            (try? PeerProcess.run(["\(programs)/pg_isready", "-h", "127.0.0.1", "-p", String(port)], in: place)) != nil
        }
        // Otherwise the system writes the new files to the disk while something is measured.
        try PeerProcess.run(["/bin/sync", "--file-system", folder], in: place)
    }

    deinit { stop() }

    func stop() { process.stop(isInterrupted: true) }

    /// The address of a database for its clients.
    ///
    /// - Parameters:
    ///   - database: The name of the database.
    ///   - settings: What differs from the settings of PostgreSQL in the sessions of this client.
    /// - Returns: The URL.
    func url(of database: String, settings: [String] = []) -> String {
        let options = settings.map { "-c%20\($0.replacing("=", with: "%3D"))" }.joined(separator: "%20")
        return "postgresql://postgres@127.0.0.1:\(port)/\(database)" + (options.isEmpty ? "" : "?options=\(options)")
    }

    /// Runs a statement, and returns its rows as lines, with `|` between their values.
    @discardableResult
    func query(_ sql: String, in database: String = "postgres") throws -> [Substring] {
        try psql("--command", sql, in: database)
    }

    /// Runs the statements of a file.
    func run(file: URL, in database: String) throws { try psql("--file", file.absoluteURL.path(), in: database) }

    @discardableResult
    private func psql(_ option: String, _ value: String, in database: String) throws -> [Substring] {
        try PeerProcess.run(
            [
                "\(programs)/psql", "--quiet", "--no-psqlrc", "--no-align", "--tuples-only", "--set",
                "ON_ERROR_STOP=1", "--dbname", url(of: database), option, value,
            ], in: place
        ).split(separator: "\n")
    }

    /// The processor time of all its processes since its start.
    var processorTime: Duration { ProcessUsage(process: process.number).processorTimeWithChildren }

    /// The folder with the programs of the newest version that is installed in `root`; nil if there is none.
    static func programs(in root: String) -> String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
    }
}
