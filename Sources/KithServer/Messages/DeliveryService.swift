package import Logging
import ServiceLifecycle

/// Delivers messages in the background: at the start, when one was added, and at intervals. Each channel has its own
/// loop, so that a slow mail relay does not delay an SMS.
///
/// When the server stops, the running attempts may finish; no other begins.
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
                        for await _ in bell.stream(lane.channel) { await deliver(lane) }
                    }
                }
            }
        } onGracefulShutdown: { [bell] in
            bell.end()
        }
    }

    private func deliver(_ lane: DeliveryLane) async {
        do {
            try await lane.run()
        } catch is CancellationError {
            // The server stops. The next server delivers what is left.
        } catch {
            logger.error("No message could be taken; it is tried again.", metadata: ["cause": "\(error)"])
        }
    }
}
