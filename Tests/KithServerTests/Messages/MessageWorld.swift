import Foundation
import KithModel
import KithServer
import Logging
import Metrics
import Synchronization

/// A database in memory with a queue of messages, a clock that tests move, and a gateway that answers as told.
struct MessageWorld {
    let database: SQLiteDatabase
    let clock = HandClock()
    let gateway = ToldGateway()
    let queue: MessageQueue
    /// Reports the failures of ``lane(_:gateway:taking:database:log:)``.
    var reports = FailureReports.none
    private let random: RandomBytes

    init(limits: MessageLimits = MessageLimits(), address: String = "https://kith.example") throws {
        let random = RandomBytes(seed: 7)
        self.random = random
        database = try SQLiteDatabase.inMemory(random: random)
        queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), limits: limits, address: { address },
            random: random)
    }

    var now: Timestamp { HandClock.start + clock.now }

    func lane(
        _ channel: OutgoingMessage.Channel = .email, gateway: (any MessageGateway)? = nil,
        taking reach: DeliveryLane.Reach = .all,
        database: (any Database)? = nil, log: LogKeeper = LogKeeper()
    ) -> DeliveryLane {
        var clock = clock.server
        let hand = self.clock
        // Waiting lets the time pass.
        clock.sleep = { hand.advance($0) }
        return DeliveryLane(
            channel, gateway ?? self.gateway, taking: reach, queue: queue, reports: reports,
            database: database ?? self.database, clock: clock, metrics: MessageMetrics(PrometheusRegistry()),
            logger: log.logger, random: random)
    }

    @discardableResult func add(_ message: OutgoingMessage) async throws -> MessageState {
        let now = now
        return try await database.write { [queue] in try queue.add(message, at: now, in: $0) }
    }

    func state(of message: OutgoingMessage) async throws -> MessageState? {
        try await database.read { [queue] in try queue.state(of: message.id, in: $0) }
    }

    /// The number of characters of content that the database has.
    func contentOfQueue() async throws -> Int64 {
        try await database.read { transaction in
            try transaction.query(
                """
                SELECT COALESCE(SUM(LENGTH(COALESCE(subject, '')) + LENGTH(COALESCE(body, ''))
                    + LENGTH(COALESCE(html, ''))), 0) FROM message
                """
            ).first?.integer(0) ?? -1
        }
    }
}

extension OutgoingMessage {
    /// A code for Ada.
    static func code(_ number: UInt8 = 1, to recipient: String = "ada@example.com") -> OutgoingMessage {
        OutgoingMessage(
            id: .numbered(number), channel: .email, recipient: recipient, kind: .code,
            values: ["code": "123456", "device": "Ada’s phone", "place": "Vienna", "minutes": "10"],
            canUnsubscribe: false)
    }

    /// A notice that Ada's account has a new passkey.
    static func notice(_ number: UInt8 = 1, to recipient: String = "ada@example.com") -> OutgoingMessage {
        OutgoingMessage(
            id: .numbered(number), channel: .email, recipient: recipient, kind: .wayIn,
            values: ["passkey": "Phone", "place": "Vienna"], canUnsubscribe: false)
    }

    /// Ben invites Ada.
    static func invitation(
        _ number: UInt8 = 1, to recipient: String = "ada@example.com", by sender: AccountID? = nil,
        values: [String: String] = [:]
    ) -> OutgoingMessage {
        OutgoingMessage(
            id: .numbered(number), channel: .email, recipient: recipient, kind: .invitation,
            values: ["inviter": "Ben", "link": "https://kith.example/i/1"].merging(values) { $1 },
            canUnsubscribe: true, sender: sender)
    }
}

extension RecordID {
    /// An id that ends with this number.
    static func numbered(_ number: UInt8) -> Self {
        Self(UUID(uuid: (1, 0x9C, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
    }
}

extension GatewayOutcome {
    /// Why the gateway refused the message for now; nil for another outcome.
    var reasonForNow: String? {
        guard case .refusedForNow(let reason) = self else { return nil }
        return reason
    }
}

/// A gateway that answers as a test tells it, and keeps what it was given.
final class ToldGateway: MessageGateway {
    private struct State {
        var answers: [GatewayOutcome] = []
        var received: [StoredMessage] = []
        var rests = 0
    }

    private let state = Mutex(State())
    let deadline = Duration.seconds(60)

    /// The next answers; afterwards it accepts everything.
    func answer(_ answers: GatewayOutcome...) { state.withLock { $0.answers += answers } }

    var received: [StoredMessage] { state.withLock(\.received) }
    var rests: Int { state.withLock(\.rests) }

    func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        state.withLock { state in
            state.received.append(message)
            return state.answers.isEmpty ? .accepted : state.answers.removeFirst()
        }
    }

    func rest() async { state.withLock { $0.rests += 1 } }
}
