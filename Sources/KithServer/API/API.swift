import KithModel

/// What the operations work with, and who may ask for them how often.
struct API: Sendable {
    let database: WritableDatabase
    let signals: SignalSender
    let clock: ServerClock
    let gate: Gate
    let work: HeavyWork
    let connections: Connections
    let hub: LiveHub
    let ready: ReadyCheck
    let discovery: DiscoveryService
    let metrics: ServerMetrics
    /// How many bytes of records an account may have.
    let storage: Int
    /// Where people reach this server: what a link begins with.
    let origin: Origin

    /// Answers a request, if its caller may ask now.
    func answer(_ operation: APIOperation, _ path: PathParameters, _ incoming: Incoming) async throws -> Answer {
        func call(token: String? = nil) -> Call {
            let ration = Ration(gate: gate, work: work, address: incoming.address, token: token)
            return Call(api: self, incoming: incoming, path: path, ration: ration)
        }
        switch operation.access {
        case .operating(let handle):
            try gate.pass(operator: incoming.address)
            return try await handle(call())
        case .anyone(let handle):
            try gate.passWork(of: incoming.address)
            try gate.pass(address: incoming.address)
            return try await handle(call())
        case .newcomer(let handle):
            try gate.pass(newcomer: incoming.address)
            return try await handle(call())
        case .session(let handle):
            try gate.passWork(of: incoming.address)
            let (session, token) = try await authenticate(incoming)
            return try await handle(call(token: token), session)
        }
    }

    /// Whose session it is. A request without one is counted by its address, so that tokens cannot be guessed at speed.
    private func authenticate(_ incoming: Incoming) async throws -> (SessionDescription, token: String) {
        guard let token = incoming.token else {
            try gate.pass(address: incoming.address)
            throw ServerError(.tokenMissing, "There is no token. Send “Authorization: Bearer” and the session's token.")
        }
        let session: SessionDescription?
        do {
            session = try await SessionService(database: database).verify(token)
        } catch let closed as ServerError where closed.code == .accountClosed {
            try gate.pass(address: incoming.address)
            throw closed
        }
        guard let session else {
            try gate.pass(address: incoming.address)
            throw ServerError(.tokenInvalid, "The token is unknown or was revoked. Open a new session.")
        }
        try gate.pass(session: token)
        return (session, token)
    }
}
