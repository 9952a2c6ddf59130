import Logging
import ServiceLifecycle

/// Does work in the background: at the start, and whenever its bell rings.
struct BackgroundJob: Service {
    /// Rings when there is new work, and at intervals, so that work that has failed is tried again.
    let bell: Bell
    let logger: Logger
    /// What the log says if the work fails.
    let failureMessage: String
    /// Does everything that is due.
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await attempt()
            for await _ in bell.stream { await attempt() }
        }
    }

    private func attempt() async {
        do {
            try await work()
        } catch is CancellationError {
            // The server stops. The next server does this work.
        } catch {
            logger.noteFailedWork(failureMessage, because: error)
        }
    }
}
