import Foundation
import KithServer
import Processes
import Testing

/// A pooler that hands out another session of the suite's PostgreSQL server for each transaction.
enum PgBouncer {
    private static let program = URL(filePath: "/usr/sbin/pgbouncer")

    /// Why the tests with PgBouncer are skipped; nil if they can run.
    static let missing: String? = {
        if let missing = PostgresServer.missing { return missing }
        let isInstalled = FileManager.default.isExecutableFile(atPath: program.path)
        return isInstalled ? nil : "PgBouncer is not installed: apt-get install pgbouncer"
    }()

    /// Starts PgBouncer with fewer sessions than the server has connections, and hands the address there to `body`.
    static func run(_ body: (String) async throws -> Void) async throws {
        let server = try #require(PostgresServer.current)
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.url.path
        // It makes its socket in the folder.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        try Data("\"postgres\" \"\"\n".utf8).write(to: folder.url.appending(path: "users"))
        let configuration = folder.url.appending(path: "pgbouncer.ini")
        try Data(
            """
            [databases]
            * = \(server.socket)
            [pgbouncer]
            listen_addr =
            unix_socket_dir = \(path)
            auth_type = any
            auth_file = \(path)/users
            pool_mode = transaction
            default_pool_size = 3

            """.utf8
        ).write(to: configuration)
        // It does not run as root.
        let user = geteuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        let command = URL(filePath: "/usr/bin/setpriv")
        let pooler = try await ChildProcess(command, user + [program.path, configuration.path], complaints: nil)
        do {
            let name = try #require(try await server.address().split(separator: "=").last)
            let address = "host=\(path) port=6432 user=postgres dbname=\(name)"
            // Its socket is there before it accepts connections.
            try await Limit("PgBouncer answers").until {
                guard pooler.isRunning else { throw InVain("PgBouncer has not started.") }
                return (try? await server.sql("SELECT 1", at: address)) != nil
            }
            try await body(address)
        } catch {
            await pooler.killed()
            throw error
        }
        await pooler.killed()
    }
}
