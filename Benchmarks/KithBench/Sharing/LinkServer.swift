import Foundation
import KithServer

/// A server whose share links are opened, behind a proxy on this machine.
enum LinkServer {
    /// The argument that makes this program the server.
    static let argument = "link-server"

    /// Starts the server over this database.
    static func start(_ database: String) throws -> ServerProcess { try ServerProcess(argument, database) }

    /// Runs the server until the process is terminated.
    static func serve(database: String) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.database = database
        configuration.trustedProxies = ["127.0.0.0/8"].compactMap { AddressRange($0) }
        KithServer.allowManyConnections()
        try await KithServer.open(configuration).run(obeysSignals: true) { ServerProcess.report($0.port ?? 0) }
    }
}
