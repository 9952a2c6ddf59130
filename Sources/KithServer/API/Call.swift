import KithModel

/// A request to an operation, with the API that answers it.
struct Call: Sendable {
    let api: API
    let incoming: Incoming
    let path: PathParameters
    /// Counts the work of the request, and queues large work.
    let ration: Ration
    /// When the caller's token was checked, in the server's uptime.
    let begun: Duration

    var database: WritableDatabase { api.database }
    /// The server's time.
    var now: Timestamp { api.clock.time() }

    /// How long a body may take without the token being checked again.
    private static let quick = Duration.seconds(1)

    /// Reads the body, which must be JSON. A large body waits for its turn.
    ///
    /// If that takes long, the token is checked again. Otherwise somebody with a stolen token could hold back the body of a
    /// request, and send it after its owner has closed the session.
    func read<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) async throws -> Value {
        let value = try await incoming.read(type, in: ration)
        if let token = ration.token, api.clock.uptime() - begun >= Self.quick {
            guard try await SessionService(database: database).verify(token) != nil else {
                throw ServerError.unknownToken
            }
        }
        return value
    }
}
