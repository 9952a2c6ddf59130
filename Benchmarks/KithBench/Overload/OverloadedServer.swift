import Foundation
import KithServer

/// The server that the greedy accounts overload.
enum OverloadedServer {
    /// The argument that makes this program the server.
    static let argument = "overloaded-server"

    /// Starts the server, with its database in `folder`.
    static func start(in folder: URL) throws -> ServerProcess {
        try ServerProcess(argument, folder.appending(path: "overload.sqlite").path())
    }

    /// Runs the server until the process is terminated.
    static func serve(database: String) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.database = database
        // The default daily quota would end the load early.
        configuration.limits.evaluationsADay = 1_000_000_000
        KithServer.allowManyConnections()
        try await KithServer.open(configuration).run(obeysSignals: true) { ServerProcess.report($0.port ?? 0) }
    }
}
