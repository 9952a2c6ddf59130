package import Logging
import ServiceLifecycle
import Synchronization

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
        let stop = StopFlag()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for lane in lanes {
                    group.addTask { [self] in
                        for await _ in bell.stream(lane.channel) { await deliver(lane, until: stop) }
                    }
                }
            }
        } onGracefulShutdown: { [bell] in
            stop.set()
            bell.end()
        }
    }

    private func deliver(_ lane: DeliveryLane, until stop: StopFlag) async {
        do {
            try await lane.run { stop.isSet }
        } catch is CancellationError {
            // The server stops. The next server delivers what is left.
        } catch {
            logger.error("No message could be taken; it is tried again.", metadata: ["cause": "\(error)"])
        }
    }
}

/// Whether the server stops.
private final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
