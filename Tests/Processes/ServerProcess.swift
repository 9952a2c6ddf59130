package import Foundation
import Synchronization

/// A real server, `kith serve`, in a process of its own: to be started, killed and
/// started again, on the same database and the same port.
package final class ServerProcess: Sendable {
    package let database: URL
    private let program: URL
    private let complaints: URL
    private let flags: [String]
    private let state = Mutex(State())

    private struct State {
        /// Nil before the first start.
        var port: Int?
        var child: ChildProcess?
    }

    /// - Parameters:
    ///   - program: `kith`.
    ///   - database: The file; its folder must be there.
    ///   - complaints: The file that the server's log goes to.
    ///   - flags: More flags of `kith serve`.
    package init(_ program: URL, database: URL, complaints: URL, flags: [String] = []) {
        self.program = program
        self.database = database
        self.complaints = complaints
        self.flags = flags
    }

    /// Where it serves. Good after the first start.
    package var url: URL { URL(string: "http://127.0.0.1:\(state.withLock { $0.port ?? 0 })")! }

    package var id: Int32? { state.withLock { $0.child?.id } }

    /// Starts the server and waits until it says that it serves.
    ///
    /// - Throws: ``InVain`` if it ends, or says nothing, instead.
    package func start() async throws {
        let port = try state.withLock { state in
            let port = try state.port ?? FreePort.find()
            state.port = port
            return port
        }
        let child = try await ChildProcess(
            program, ["serve", "--host", "127.0.0.1", "--port", String(port), "--database", database.path()] + flags,
            complaints: complaints)
        state.withLock { $0.child = child }
        let limit = Limit("The server is ready")
        let serves = try await limit.wait {
            await child.lines.contains { $0.contains("Kith serves at http://") }
        }
        guard serves else {
            throw InVain(
                "The server did not start (status \(await child.ended())). Its own words are in \(complaints.path()).")
        }
    }

    /// `SIGKILL`: it has no time to write, close or say anything.
    package func kill() async {
        await child?.killed()
    }

    /// `SIGTERM`: it ends in good order.
    ///
    /// - Returns: Its exit status.
    @discardableResult package func stop() async throws -> Int32 {
        guard let child else { return 0 }
        child.signal(SIGTERM)
        return try await Limit("The server has ended").wait { await child.ended() }
    }

    private var child: ChildProcess? { state.withLock { $0.child } }
}
