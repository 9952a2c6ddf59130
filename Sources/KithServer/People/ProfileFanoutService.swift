import KithModel
import Logging
import ServiceLifecycle

/// Runs ``ProfileFanout`` beside the requests: at the start, when it is told that there is something to tell, and now and then.
///
/// Between two steps other writes have their turn.
struct ProfileFanoutService: Service {
    let database: any Database
    let clock: ServerClock
    let signals: SignalSender
    let logger: Logger
    /// Rings when something was noted.
    let bell: AsyncStream<Void>

    /// The bell, and what rings it.
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
                // Looking costs no commit.
                guard try await database.read({ try ProfileFanout.isWaiting(in: $0) }) else { return }
                await signals.send(
                    try await database.write { [clock] in try ProfileFanout.take(at: clock.time(), in: $0) })
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
