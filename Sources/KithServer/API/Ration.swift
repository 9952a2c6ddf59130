import KithModel

/// The session and address that one request's work is counted for, and the turns that it waits for.
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

    /// An answer in JSON. What is large is written, compressed and counted in turn.
    func answer(_ value: some Encodable & Sendable, isLarge: Bool, to incoming: Incoming) async throws -> Answer {
        guard isLarge else { return try Answer(json: value) }
        return try await run(WorkUnits.bytes(Limits.pageBytes), goesOn: true) {
            try largeAnswer(value, to: incoming)
        }
    }

    /// An answer in JSON, compressed and counted. Call it in turn.
    func largeAnswer(_ value: some Encodable, to incoming: Incoming) throws -> Answer {
        var answer = try Answer(json: value)
        charge(WorkUnits.bytes(answer.size))
        answer.compress(for: incoming)
        return answer
    }
}
