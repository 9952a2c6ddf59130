import Testing

/// Starts one PostgreSQL server for all tests of a suite, if PostgreSQL is installed.
struct PostgresServerTrait: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard PostgresServer.missing == nil else { return try await function() }
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let server = try await PostgresServer(in: folder)
        do {
            try await PostgresServer.$current.withValue(server) { try await function() }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

extension Trait where Self == PostgresServerTrait {
    /// One PostgreSQL server for all tests of the suite.
    static var postgresServer: Self { PostgresServerTrait() }
}
