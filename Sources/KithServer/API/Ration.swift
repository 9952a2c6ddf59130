import Foundation
import KithModel

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

    /// The answer of a round, minimal if the client prefers that. A large one waits in the queue before it is written,
    /// compressed and charged.
    func answer(_ answer: SyncAnswer, isLarge: Bool, to incoming: Incoming) async throws -> Answer {
        let isMinimal = incoming.prefersMinimal
        guard isLarge else { return Answer(json: answer.json(isMinimal: isMinimal)) }
        return try await run(WorkUnits.bytes(Limits.pageBytes), goesOn: true) {
            largeAnswer(answer.json(isMinimal: isMinimal), to: incoming)
        }
    }

    /// An answer in JSON, compressed and charged. Call it only within ``run(_:goesOn:_:)``.
    func largeAnswer(_ value: some Encodable, to incoming: Incoming) throws -> Answer {
        largeAnswer(try JSONBody.encode(value), to: incoming)
    }

    private func largeAnswer(_ json: Data, to incoming: Incoming) -> Answer {
        var answer = Answer(json: json)
        charge(WorkUnits.bytes(answer.size))
        answer.compress(for: incoming)
        return answer
    }
}
