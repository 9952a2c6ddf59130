import Logging
import ServiceLifecycle

/// Runs the background job of invitations: at the start, when there is new work, and at intervals.
struct InvitationJob: Service {
    let service: InvitationService
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
            logger.error("An invitation could not be processed; it is tried again.", metadata: ["cause": "\(error)"])
        }
    }
}
