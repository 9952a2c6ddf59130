/// The session and address to which a request's work is charged, and its place in the queue of large requests.
struct Ration: WorkScheduler {
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
}
