import Kith

/// Runs a client until `body` is done.
func running(_ client: KithClient, _ body: () async throws -> Void) async throws {
    let loop = Task { await client.run() }
    defer { loop.cancel() }
    try await body()
    loop.cancel()
    await loop.value
}
