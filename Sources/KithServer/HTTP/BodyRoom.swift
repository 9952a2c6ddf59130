import Synchronization

/// The memory that the body of one request uses until the request is answered.
final class BodyRoom: Sendable {
    private let connections: Connections
    private let client: IPAddress
    private let bytes = Mutex(0)

    init(of client: IPAddress, in connections: Connections) {
        (self.client, self.connections) = (client.limitedAddress, connections)
    }

    deinit {
        let bytes = bytes.withLock { $0 }
        if bytes > 0 { connections.forget(bytes, of: client) }
    }

    /// Takes `count` bytes.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if too few are left.
    func take(_ count: Int) throws(ServerError) {
        guard count > 0 else { return }
        guard connections.receive(count, of: client) else { throw ServerError.crowded }
        bytes.withLock { $0 += count }
    }
}
