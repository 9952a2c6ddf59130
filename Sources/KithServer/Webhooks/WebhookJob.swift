import KithModel
import Logging
import ServiceLifecycle
import Synchronization

/// Sends the events of webhooks in the background: when there are new ones, and at intervals. Each webhook has its own task, so
/// that a slow receiver does not delay the others.
///
/// When the server stops, the running attempts may finish; no other begins.
struct WebhookJob: Service {
    /// How often it looks for events whose pause has ended, or that another process has added.
    static let interval = Duration.seconds(5)

    private let lane: WebhookLane
    private let bell = Bell()
    private let work = RunningWork()
    private let logger: Logger

    init(_ lane: WebhookLane, logger: Logger) {
        (self.lane, self.logger) = (lane, logger)
    }

    /// Makes it look for events.
    func ring() { bell.ring() }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await _ in bell.stream {
                    for webhook in await due() where work.begin(webhook) {
                        group.addTask { [self] in await send(to: webhook) }
                    }
                }
            }
        } onGracefulShutdown: { [bell] in
            bell.finish()
        }
    }

    private func due() async -> [Webhook.ID] {
        do {
            return try await lane.due()
        } catch {
            note(error)
            return []
        }
    }

    private func send(to webhook: Webhook.ID) async {
        do {
            try await lane.run(webhook)
            work.end(webhook)
            // Another event may have arrived just now.
            ring()
        } catch {
            work.end(webhook)
            note(error)
        }
    }

    private func note(_ error: any Error) {
        // The server stops. The next server sends what is left.
        if error is CancellationError { return }
        logger.noteFailedWork("No event of a webhook could be taken; it is tried again.", because: error)
    }
}

/// The webhooks to which something is being sent.
private final class RunningWork: Sendable {
    private let webhooks = Mutex<Set<Webhook.ID>>([])

    /// Whether nothing is being sent to the webhook, which begins now.
    func begin(_ webhook: Webhook.ID) -> Bool { webhooks.withLock { $0.insert(webhook).inserted } }

    func end(_ webhook: Webhook.ID) { webhooks.withLock { _ = $0.remove(webhook) } }
}
