import Logging
import ServiceLifecycle

/// Runs the background job of sharing: at the start, when there is new work, and at intervals.
struct SharingJob: Service {
    let service: SharingService
    let clock: ServerClock
    let logger: Logger
    /// Receives an element when there is new work.
    let bell: AsyncStream<Void>

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await work()
            for await _ in bell { await work() }
        }
    }

    private func work() async {
        do {
            try await service.work(at: clock.time())
        } catch is CancellationError {
            // The server stops. The next server does this work.
        } catch {
            logger.error(
                "A share, a sign-up or a reward could not be processed; it is tried again.",
                metadata: ["cause": "\(error)"])
        }
    }
}
