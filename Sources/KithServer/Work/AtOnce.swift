/// Runs everything at once, where nobody else is to be considered.
package struct AtOnce: Turns {
    package init() {}

    package func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        try await body()
    }
}
