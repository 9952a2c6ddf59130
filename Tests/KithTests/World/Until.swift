/// Returns once `condition` holds; throws when the test's time is over.
func until(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
