import Foundation

/// `GET /health` on many connections: what the HTTP server can do at most.
struct HealthCheck {
    private static let request = HTTPRequest.bytes("GET", "/health")

    private let connections: [HTTPConnection]

    init(port: Int, connections: Int) {
        self.connections = (0..<connections).map { _ in HTTPConnection(port: port) }
    }

    /// The answers per second.
    func rate(of count: Int) throws -> Double {
        try ClosedLoop.rate(of: count, on: connections, request: { _ in Self.request }) { _, answer in
            guard answer.status == 200 else { throw SyncDevice.Unexpected(answer) }
        }
    }
}
