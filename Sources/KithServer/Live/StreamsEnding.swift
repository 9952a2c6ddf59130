import ServiceLifecycle

/// Waits until the streams have ended. It stops after the application, which waits for all other requests.
struct StreamsEnding: Service {
    /// Rings when a stream or a connection has ended.
    let bell: Bell
    let areEnded: @Sendable () -> Bool

    func run() async throws {
        try? await gracefulShutdown()
        // A stream ends in a moment. If its client does not read, it is closed after the grace period.
        if areEnded() { return }
        for await _ in bell.stream where areEnded() { return }
    }
}
