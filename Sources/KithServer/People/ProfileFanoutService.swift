import KithModel
import Logging
import ServiceLifecycle

/// Runs ``ProfileFanout`` in the background: at the start, when a change was stored, and at intervals.
///
/// Other writes can run between two steps.
struct ProfileFanoutService: Service {
    let database: any Database
    let clock: ServerClock
    let signals: SignalSender
    let logger: Logger
    /// Receives an element when a change was stored.
    let bell: AsyncStream<Void>

    /// The bell, and the function that rings it.
    static func makeBell() -> (bell: AsyncStream<Void>, ring: @Sendable () -> Void) {
        let (bell, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        return (bell, { continuation.yield() })
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await tell()
            for await _ in bell { await tell() }
        }
    }

    private func tell() async {
        while !Task.isCancelled {
            do {
                // This check needs no commit.
                guard try await database.read({ try ProfileFanout.isWaiting(in: $0) }) else { return }
                try await signals.commit(in: database) { [clock] in
                    Committed((), signals: try ProfileFanout.take(at: clock.time(), in: $0))
                }
            } catch is CancellationError {
                return
            } catch {
                logger.error(
                    "What became of an account is not told yet; it is tried again.", metadata: ["cause": "\(error)"])
                try? await clock.sleep(.seconds(5))
            }
        }
    }
}
