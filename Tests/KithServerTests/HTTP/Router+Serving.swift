import Hummingbird
import KithServer
import NIOCore

extension Router<BasicRequestContext> {
    /// Serves on a free port of this machine while `body` runs with the address.
    func serving(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: self, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let port = await ports.first { _ in true } ?? 0
            try await body("http://127.0.0.1:\(port)")
            group.cancelAll()
        }
    }
}
