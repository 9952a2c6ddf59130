import KithModel

/// The session and address to which a request's work is charged, and its place in the queue of large requests.
struct Ration: Turns {
    let gate: Gate
    let work: HeavyWork
    let address: IPAddress
    /// The token of the session; nil if there is none.
    let token: String?

    /// Counts units of work.
    func charge(_ units: Int) { gate.charge(units, to: address, session: token) }

    func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool = false, _ body: () async throws -> Value
    ) async throws -> Value {
        try await work.run(for: address, cost: cost, goesOn: goesOn, body)
    }

    /// An answer in JSON. A large answer waits for its turn to be encoded, compressed and charged.
    func answer(_ value: some Encodable & Sendable, isLarge: Bool, to incoming: Incoming) async throws -> Answer {
        guard isLarge else { return try Answer(json: value) }
        return try await run(WorkUnits.bytes(Limits.pageBytes), goesOn: true) {
            try largeAnswer(value, to: incoming)
        }
    }

    /// An answer in JSON, compressed and charged. Call it only when the request has its turn.
    func largeAnswer(_ value: some Encodable, to incoming: Incoming) throws -> Answer {
        var answer = try Answer(json: value)
        charge(WorkUnits.bytes(answer.size))
        answer.compress(for: incoming)
        return answer
    }
}
