import Foundation
import KithModel
import KithServer
import Logging
import Processes
import ServiceLifecycle
import Synchronization
import Testing

@Suite("The service that delivers messages") struct DeliveryServiceTests {
    @Test("Delivers what waits when it starts, what is added later, and on each channel")
    func delivers() async throws {
        let world = try MessageWorld()
        let bell = DeliveryBell()
        let service = DeliveryService([world.lane(.email), world.lane(.sms)], bell: bell, logger: .silent)
        try await world.add(.code(1))
        bell.ring()
        try await running(service) { _ in
            let gateway = world.gateway
            try await Limit("The first is delivered").until { gateway.received.count == 1 }
            var sms = OutgoingMessage.code(2, to: "+436641234567")
            sms.channel = .sms
            try await world.add(sms)
            bell.ring()
            try await Limit("The second is delivered").until { gateway.received.count == 2 }
        }
    }

    private struct Failure: DatabaseFailure {
        let kind: DatabaseFailureKind
    }

    @Test(
        "While there is no database, the log does not repeat it for each attempt",
        arguments: [DatabaseFailureKind.unreachable(isLasting: true), .unwritable])
    func noDatabase(kind: DatabaseFailureKind) async throws {
        let (world, bell, log) = (try MessageWorld(), DeliveryBell(), LogKeeper())
        let database = InterruptedDatabase(world.database) { _ in
            throw ServerError(.busy, "The database fails.", cause: Failure(kind: kind))
        }
        try await world.add(.code(1))
        let service = DeliveryService([world.lane(database: database)], bell: bell, logger: log.logger)
        try await running(service) { _ in
            try await Limit("An attempt fails").until { log.text.contains("No message could be taken") }
        }
        #expect(log.text.hasPrefix(kind.isUnreachable ? "debug " : "error "))
    }

    @Test(
        "Trap: The clock is ahead while a message is not accepted, or is taken – it does not wait until that date",
        arguments: [true, false])
    func clockAhead(isTaken: Bool) async throws {
        let world = try MessageWorld()
        world.clock.advance(.days(60))
        try await world.add(.code())
        if isTaken {
            let (queue, now) = (world.queue, world.now)
            let lease = DeliveryLease(until: now + .seconds(90), random: .system)
            let taken = try await world.database.write { try queue.take(.email, lease: lease, at: now, in: $0) }
            #expect(taken != nil)
        } else {
            world.gateway.answer(.refusedForNow("later"))
            try await world.lane().run()
        }
        #expect(try await world.state(of: .code()) == .queued)
        world.clock.advance(.zero - .days(60))
        try await world.lane().run()
        #expect(try await world.state(of: .code()) == .sent)
    }

    @Test("Trap: The clock of another server is behind – it does not deliver a message that has the longest pause")
    func clockBehind() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        let due = try world.now + #require(DeliveryRules.pauses.max())
        try await world.database.write { try $0.execute("UPDATE message SET due = ?", [.time(due)]) }
        world.clock.advance(.zero - .minutes(1))
        try await world.lane().run()
        #expect(try await world.state(of: .code()) == .queued)
    }

    @Test("When the server stops, the running attempt ends and is stored, and no other begins")
    func stops() async throws {
        let world = try MessageWorld()
        let (gateway, bell) = (HeldGateway(), DeliveryBell())
        let service = DeliveryService([world.lane(gateway: gateway)], bell: bell, logger: .silent)
        try await world.add(.code(1))
        world.clock.advance(.seconds(1))
        try await world.add(.code(2))
        bell.ring()
        try await running(service) { group in
            try await Limit("The first attempt has begun").until { gateway.begun == 1 }
            await group.triggerGracefulShutdown()
            // The shutdown is asynchronous. This stream, which no lane reads, ends when the service knows of it.
            for await _ in bell.stream() {}
            gateway.release()
        }
        #expect(gateway.begun == 1)
        #expect(try await world.state(of: .code(1)) == .sent)
        #expect(try await world.state(of: .code(2)) == .queued)
    }

    @Test("Trap: A gateway is slow with one message – a code does not wait for it, but goes out in a lane of its own")
    func lanes() async throws {
        let world = try MessageWorld()
        let (gateway, bell) = (HeldGateway(holding: .invitation), DeliveryBell())
        let reaches = DeliveryLane.Reach.lanes(2)
        #expect(reaches == [.all, .urgent] && DeliveryLane.Reach.lanes(1) == [.all])
        let service = DeliveryService(
            reaches.map { world.lane(gateway: gateway, taking: $0) }, bell: bell, logger: .silent)
        for number in 1...2 as ClosedRange<UInt8> { try await world.add(.invitation(number)) }
        let (code, database, queue) = (OutgoingMessage.code(3), world.database, world.queue)
        try await running(service) { _ in
            try await Limit("An invitation is being delivered").until { gateway.begun == 1 }
            try await world.add(code)
            bell.ring()
            try await Limit("The code is sent").until {
                try await database.read { try queue.state(of: code.id, in: $0) } == .sent
            }
            #expect(gateway.begun == 2, "The second invitation waits for the first.")
            gateway.release()
        }
    }

    @Test(
        "Trap: A gateway takes minutes to answer, also while the database is busy – no other worker sends the message",
        arguments: [0, 3])
    func slowAnswer(refusals: Int) async throws {
        let world = try MessageWorld()
        let (gateway, database) = (HeldGateway(patience: .seconds(600)), world.database)
        try await world.add(.invitation())
        let busy = InterruptedDatabase(database) { write in
            // The first write takes the message.
            if write > 1, write <= 1 + refusals { throw ServerError(.busy, "The database is locked.") }
        }
        let lane = world.lane(gateway: gateway, database: busy)
        let delivery = Task { try await lane.run() }
        // The world lets the deadline of the gateway pass at once, and five seconds after each refusal.
        let end = HandClock.start + .seconds(60 + 5 * refusals + 600) + DeliveryLane.leaseMargin
        try await Limit("The lease is prolonged").until {
            try await database.read { try $0.query("SELECT leased_until FROM message").first?.time(0) } == end
        }
        world.clock.advance(.seconds(600))
        try await world.lane().run()
        #expect(world.gateway.received.isEmpty)
        gateway.release()
        try await delivery.value
        #expect(try await world.state(of: .invitation()) == .sent)
    }

    @Test("When the server stops, the gateway ends what it has not handed over") func halts() async throws {
        let world = try MessageWorld()
        let (gateway, bell) = (HeldGateway(releasesWhenHalted: true), DeliveryBell())
        let service = DeliveryService([world.lane(gateway: gateway)], bell: bell, logger: .silent)
        try await world.add(.code(1))
        try await running(service) { group in
            try await Limit("The attempt has begun").until { gateway.begun == 1 }
            await group.triggerGracefulShutdown()
        }
        #expect(try await world.state(of: .code(1)) == .sent)
    }

    @Test("A running server delivers to its gateways, and shows what it has delivered in its metrics")
    func server() async throws {
        let world = try MessageWorld()
        try await world.add(.code(1))
        let memory = MemoryGateway()
        let server = KithServer(
            ServerDependencies(
                .patient, ServerDatabase(world.database), discoveryKeys: DiscoveryKeys(),
                gateways: MessageGateways(email: memory, sms: memory), clock: world.clock.server))
        try await server.serving { url in
            try await Limit("The message is delivered").until { memory.delivered.count == 1 }
            try await Limit("It is counted").until {
                server.metrics.text.contains(#"kith_messages_total{channel="email",event="sent"} 1"#)
            }
        }
        #expect(memory.delivered.first?.subject == "123456 is your code for Kith")
        #expect(try await world.state(of: .code(1)) == .sent)
    }

    @Test("The log says why a message waits, but neither recipients nor contents")
    func log() async throws {
        let world = try MessageWorld()
        let log = LogKeeper()
        world.gateway.answer(
            .refusedForNow(
                """
                451 4.7.1 <ada@example.com>: not "ada \\" x"@example.com, not +436641234567, not +43 664 123-45 67, \
                not 123456, greylisted
                """),
            .refusedForNow(
                String(repeating: "x", count: 195) + " ada.king@example.com " + String(repeating: "y", count: 9)),
            .refused("550 ada@example.com"))
        try await world.add(.code(1))
        try await world.lane(log: log).run()
        for pause in DeliveryRules.pauses.prefix(2) {
            world.clock.advance(pause)
            try await world.lane(log: log).run()
        }
        #expect(log.text.contains("\(MessageID.numbered(1))") && log.text.contains("refused"))
        #expect(log.text.contains("451 4.7.1 <…>: not …, not …, not …, not …, greylisted"))
        #expect(log.text.contains("x … yy") && !log.text.contains("yyy"))
        #expect(!log.text.contains("ada") && !log.text.contains("123456") && !log.text.contains("664"))
    }

    private func running(
        _ service: DeliveryService, _ body: @escaping @Sendable (ServiceGroup) async throws -> Void
    ) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [service], logger: .silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                try await body(group)
                await group.triggerGracefulShutdown()
            }
            try await tasks.waitForAll()
        }
    }
}

/// A gateway whose attempts last until a test releases them.
private final class HeldGateway: MessageGateway {
    let deadline = Duration.seconds(60)
    let patience: Duration
    private let held: MessageKind?
    private let releasesWhenHalted: Bool
    private let count = Mutex(0)
    private let gate: (stream: AsyncStream<Void>, open: AsyncStream<Void>.Continuation)

    /// A gateway that holds messages of one kind, or all.
    init(holding held: MessageKind? = nil, patience: Duration = .zero, releasesWhenHalted: Bool = false) {
        (self.held, self.patience, self.releasesWhenHalted) = (held, patience, releasesWhenHalted)
        let (stream, open) = AsyncStream<Void>.makeStream()
        gate = (stream, open)
    }

    var begun: Int { count.withLock { $0 } }

    func release() { gate.open.finish() }

    func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        count.withLock { $0 += 1 }
        if held == nil || held == message.kind { for await _ in gate.stream {} }
        return .accepted
    }

    func rest() async {}

    func halt() { if releasesWhenHalted { release() } }
}
