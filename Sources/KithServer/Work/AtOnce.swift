/// Runs all work immediately, without a queue.
package struct AtOnce: WorkScheduler {
    package init() {}

    package func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        try await body()
    }
}
