import KithModel

/// A request on its way through an operation: what was asked, and what answers it.
struct Call: Sendable {
    let api: API
    let incoming: Incoming
    let path: PathParameters
    /// Where its work is counted, and waits for its turn.
    let ration: Ration

    var database: WritableDatabase { api.database }
    /// The server's time.
    var now: Timestamp { api.clock.time() }

    /// Reads the body, which must be JSON. A large one is read in turn.
    func read<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) async throws -> Value {
        try await incoming.read(type, in: ration)
    }
}
