import Foundation

/// PostgreSQL with a database of its own, for as long as a row runs.
final class PostgresCluster {
    let port: Int
    private let process: PeerProcess

    /// The address of the database for its clients.
    var url: String { "postgresql://postgres@127.0.0.1:\(port)/postgres" }

    /// Starts PostgreSQL with the default settings; nil if it is not installed.
    init?(in place: URL) throws {
        guard let programs = Self.programs else { return nil }
        let folder = place.appending(path: "postgres-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        var user: [String] = []
        if geteuid() == 0 {
            try PeerProcess.run(["/bin/chown", "postgres:", folder.path()], in: place)
            user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        }
        let data = folder.appending(path: "data").path()
        try PeerProcess.run(
            user + [
                "\(programs)/initdb", "--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding",
                "UTF8",
                "--no-locale",
            ], in: folder)
        port = try FreePort.find()
        process = try PeerProcess(
            user + [
                "\(programs)/postgres", "-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c",
                "unix_socket_directories=",
            ], in: folder)
        let port = port
        try process.wait {
            (try? PeerProcess.run(["\(programs)/pg_isready", "-h", "127.0.0.1", "-p", String(port)], in: folder)) != nil
        }
    }

    deinit { stop() }

    func stop() { process.stop(isInterrupted: true) }

    /// The folder with the programs of the newest version that is installed.
    private static var programs: String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
    }
}
