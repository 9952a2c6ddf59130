import KithModel

/// A request to an operation, with the API that answers it.
struct Call: Sendable {
    let api: API
    let incoming: Incoming
    let path: PathParameters
    /// Counts the work of the request, and queues large work.
    let ration: Ration

    var database: WritableDatabase { api.database }
    /// The server's time.
    var now: Timestamp { api.clock.time() }

    /// Reads the body, which must be JSON. A large body waits for its turn.
    func read<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) async throws -> Value {
        try await incoming.read(type, in: ration)
    }
}
