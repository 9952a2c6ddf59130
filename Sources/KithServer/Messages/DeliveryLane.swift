import KithModel
package import Logging
import ServiceLifecycle

/// Delivers the messages of one channel, or only the urgent ones of them, one after the other.
///
/// Each message is leased before the attempt, and its outcome is stored after it. If the server dies in between, the
/// lease ends and the message is sent once more, with the same key.
package struct DeliveryLane: Sendable {
    /// The messages of the channel that a lane takes.
    package enum Reach: Sendable {
        case all
        /// Only codes. While other messages are slow, they do not wait.
        case urgent

        /// The reaches of the lanes of a gateway: half of them take only what is urgent.
        package static func lanes(_ width: Int) -> [Reach] { (0..<width).map { $0 < (width + 1) / 2 ? .all : .urgent } }
    }

    /// How much longer than an attempt a lease lasts, for the outcome to be stored.
    package static let leaseMargin = Duration.seconds(30)
    /// How long to wait before a failed read or write of the database is repeated.
    static let databasePause = Duration.seconds(5)

    let channel: OutgoingMessage.Channel
    let reach: Reach
    let gateway: any MessageGateway
    let queue: MessageQueue
    let reports: FailureReports
    let database: any Database
    let clock: ServerClock
    let metrics: MessageMetrics
    let logger: Logger
    let random: RandomBytes

    package init(
        _ channel: OutgoingMessage.Channel, _ gateway: any MessageGateway, taking reach: Reach = .all,
        queue: MessageQueue, reports: FailureReports, database: any Database, clock: ServerClock,
        metrics: MessageMetrics, logger: Logger, random: RandomBytes = .system
    ) {
        self.channel = channel
        self.reach = reach
        self.gateway = gateway
        self.queue = queue
        self.reports = reports
        self.database = database
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        self.random = random
    }

    /// Delivers until no message is due, or the server is to stop.
    ///
    /// - Throws: An error of the database, after which messages may still be due.
    package func run() async throws {
        while !Task.isShuttingDownGracefully, let (message, lease) = try await take() {
            let outcome =
                message.expires <= clock.time()
                ? .refusedForNow("It was due too late.") : await deliver(message, lease)
            try await settle(message, outcome, lease)
        }
        await gateway.rest()
    }

    private func take() async throws -> (StoredMessage, DeliveryLease)? {
        // This check needs no commit. Another lane may take the message that it has found; then there may be one more.
        while try await isDue() {
            let lease = DeliveryLease(until: clock.time() + gateway.deadline + Self.leaseMargin, random: random)
            let message = try await database.write { [channel, reach, queue, clock] in
                try queue.take(channel, isUrgent: reach == .urgent, lease: lease, at: clock.time(), in: $0)
            }
            if let message { return (message, lease) }
        }
        return nil
    }

    private func isDue() async throws -> Bool {
        try await database.read { [channel, reach, queue, clock] in
            try queue.isDue(channel, isUrgent: reach == .urgent, at: clock.time(), in: $0)
        }
    }

    /// Hands a message to the gateway. If the attempt lasts until the gateway's deadline, only the answer to a message that was
    /// handed over can be missing. Then the lease is prolonged, so that nobody sends the message a second time.
    private func deliver(_ message: StoredMessage, _ lease: DeliveryLease) async -> GatewayOutcome {
        guard gateway.patience > .zero else { return await gateway.deliver(message) }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await prolong(lease, of: message) }
            let outcome = await gateway.deliver(message)
            group.cancelAll()
            return outcome
        }
    }

    /// Prolongs a lease after the gateway's deadline. As long as the database refuses that, this tries again until the lease
    /// has ended.
    private func prolong(_ lease: DeliveryLease, of message: StoredMessage) async {
        do {
            try await clock.sleep(gateway.deadline)
            while true {
                do {
                    try await database.write { [queue, clock, gateway] in
                        let end = clock.time() + gateway.patience + Self.leaseMargin
                        try queue.prolong(lease, of: message.id, until: end, in: $0)
                    }
                    return
                } catch let error where clock.time() < lease.end && !Task.isCancelled {
                    logger.error("The lease of a message is not prolonged yet.", metadata: ["cause": "\(error)"])
                    try await clock.sleep(Self.databasePause)
                }
            }
        } catch {
            // The gateway has answered.
            if Task.isCancelled { return }
            logger.error(
                "The lease of a message was not prolonged; it may be sent twice.", metadata: ["cause": "\(error)"])
        }
    }

    /// Stores the outcome. As long as the database refuses it, the message stays leased and this tries again: the
    /// gateway has answered, and should not be asked twice.
    private func settle(_ message: StoredMessage, _ outcome: GatewayOutcome, _ lease: DeliveryLease) async throws {
        while true {
            do {
                let step = try await reports.commit(in: database) { [queue, clock] transaction in
                    let settled = try queue.settle(message, outcome, lease: lease, at: clock.time(), in: transaction)
                    return (settled?.step, settled?.failed)
                }
                report(message, step)
                return
            } catch let error where clock.time() < lease.end + gateway.patience && !Task.isCancelled {
                logger.error("The outcome of a message is not stored yet.", metadata: ["cause": "\(error)"])
                try await clock.sleep(Self.databasePause)
            }
        }
    }

    private func report(_ message: StoredMessage, _ step: DeliveryRules.Step?) {
        // Neither the recipient nor the content is logged.
        var metadata: Logger.Metadata = ["message": "\(message.id)", "attempts": "\(message.attempts)"]
        if message.attempts == 1 { metrics.count(.queued, channel) }
        switch step {
        case .sent:
            metrics.count(.sent, channel)
        case .retry(let pause, let detail):
            metrics.count(.retried, channel)
            metadata["seconds"] = "\(pause.components.seconds)"
            metadata["detail"] = "\(Self.masked(detail))"
            logger.notice("A message was not accepted; it is tried again.", metadata: metadata)
        case .failed(let failure):
            metrics.count(.failed, channel)
            metadata["reason"] = "\(failure.reason.rawValue)"
            logger.notice("A message has failed. “kith admin outbox” shows it.", metadata: metadata)
        case nil:
            logger.warning("A message took longer than its lease; it may be sent twice.", metadata: metadata)
        }
    }

    /// The beginning of what a gateway has said, in one line, without addresses, numbers and codes.
    ///
    /// More of it is searched than is logged, so that no address is cut before its @.
    private static func masked(_ detail: String) -> String {
        let masked = detail.prefix(2 * MessageLimits.detail)
            .replacing(/(?:"(?:[^"\\]|\\.)*"|[^\s<>:;,"]+)@[^\s<>:;,"]*/, with: "…")
            .replacing(/\+?\d{6,}|\+\d[\d ()\/.\-]{5,}\d/, with: "…")
        return MessageFailure.line(String(masked)) ?? ""
    }
}
