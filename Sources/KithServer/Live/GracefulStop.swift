import Foundation
import Logging
import ServiceLifecycle

/// Refuses new requests and ends the live streams. It is the first service to stop.
struct GracefulStop: Service {
    let gate: Gate
    let hub: LiveHub
    let listStreams: ListStreams
    /// The time after which the process ends even if something still runs; nil if other code shares the process.
    let last: Duration?
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        gate.close()
        hub.close()
        listStreams.close()
        guard let last else { return }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: last / .seconds(1))
            // Everything that was acknowledged is on the disk.
            logger.critical("The server did not stop in time. It ends now; nothing that was acknowledged is lost.")
            exit(EXIT_FAILURE)
        }
    }
}
