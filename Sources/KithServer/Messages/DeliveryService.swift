package import Logging
import ServiceLifecycle

/// Delivers messages in the background: at the start, when one was added, and at intervals. Each lane has its own
/// loop, so that a slow mail relay does not delay an SMS, and a slow invitation no code.
///
/// When the server stops, an attempt whose message was handed over may finish. The others end, and no other begins.
package struct DeliveryService: Service {
    /// How often it looks for messages whose pause has ended, or that another process has added.
    package static let interval = Duration.seconds(5)

    private let lanes: [DeliveryLane]
    private let bell: DeliveryBell
    private let logger: Logger

    /// A service that delivers by these lanes whenever the bell rings.
    package init(_ lanes: [DeliveryLane], bell: DeliveryBell, logger: Logger) {
        self.lanes = lanes
        self.bell = bell
        self.logger = logger
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for lane in lanes {
                    group.addTask { [self] in
                        for await _ in bell.stream() { await deliver(lane) }
                    }
                }
            }
        } onGracefulShutdown: { [bell, lanes] in
            bell.end()
            for lane in lanes { lane.gateway.halt() }
        }
    }

    private func deliver(_ lane: DeliveryLane) async {
        do {
            try await lane.run()
        } catch is CancellationError {
            // The server stops. The next server delivers what is left.
        } catch {
            logger.noteFailedWork("No message could be taken; it is tried again.", because: error)
        }
    }
}
