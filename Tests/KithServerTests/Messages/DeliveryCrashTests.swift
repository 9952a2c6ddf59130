import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("A delivery that is interrupted") struct DeliveryCrashTests {
    @Test(
        "A server that dies between the gateway’s answer and its commit sends the same message again, under the same key"
    )
    func crash() async throws {
        let world = try MessageWorld()
        // Like a provider, the memory recognises a message by its key.
        let gateway = MemoryGateway()
        try await world.add(.code())
        let dying = InterruptedDatabase(world.database) { write in
            // The first write takes the message.
            guard write > 1 else { return }
            withUnsafeCurrentTask { $0?.cancel() }
            throw CancellationError()
        }
        let lane = world.lane(gateway: gateway, database: dying)
        let server = Task { try await lane.run() }
        await #expect(throws: CancellationError.self) { try await server.value }
        #expect(gateway.delivered.count == 1)
        #expect(try await world.state(of: .code()) == .queued)

        // The next server waits for the end of the lease.
        let told = world.gateway
        try await world.lane(gateway: told).run()
        #expect(told.received.isEmpty)
        world.clock.advance(told.deadline + DeliveryLane.leaseMargin)
        try await world.lane(gateway: told).run()
        let repeated = try #require(told.received.first)
        #expect(repeated.attempts == 2)
        #expect(await gateway.deliver(repeated) == .accepted)
        #expect(gateway.delivered.count == 1, "The provider sent it once.")
        let composer = EmailComposer(from: try #require(MailAddress("kith@kith.example")))
        let first = try #require(gateway.delivered.first)
        #expect(composer.compose(first) == composer.compose(repeated))
        #expect(try await world.state(of: .code()) == .sent)
    }

    @Test("Two workers on one database do not take the same message")
    func twoWorkers() async throws {
        let world = try MessageWorld()
        for number in 1...20 as ClosedRange<UInt8> { try await world.add(.code(number, to: "a\(number)@example.com")) }
        let gateways = [ToldGateway(), ToldGateway()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for gateway in gateways {
                let lane = world.lane(gateway: gateway)
                group.addTask { try await lane.run() }
            }
            try await group.waitForAll()
        }
        let received = gateways.flatMap(\.received)
        #expect(received.count == 20 && Set(received.map(\.id)).count == 20)
    }

    @Test("A worker that was slower than its lease does not overrule the one that has the message now")
    func slowWorker() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        let queue = world.queue
        let slow = DeliveryLease(until: world.now + .seconds(60), random: .system)
        let begun = world.now
        let first = try #require(
            try await world.database.write { try queue.take(.email, lease: slow, at: begun, in: $0) })
        world.clock.advance(.seconds(60))
        let now = world.now
        let quick = DeliveryLease(until: now + .seconds(60), random: .system)
        let second = try #require(
            try await world.database.write { try queue.take(.email, lease: quick, at: now, in: $0) })
        #expect(first.id == second.id && second.attempts == 2)
        let late = try await world.database.write {
            try queue.settle(first, .refused("late"), lease: slow, at: now, in: $0)?.step
        }
        #expect(late == nil)
        let settled = try await world.database.write {
            try queue.settle(second, .accepted, lease: quick, at: now, in: $0)?.step
        }
        #expect(settled == .sent)
    }

    @Test("While the database refuses writes, the outcome waits, and the gateway is not asked again")
    func busyDatabase() async throws {
        let world = try MessageWorld()
        try await world.add(.code())
        let busy = InterruptedDatabase(world.database) { write in
            if (2...4).contains(write) { throw ServerError(.busy, "The database is locked.") }
        }
        try await world.lane(database: busy).run()
        #expect(world.gateway.received.count == 1)
        #expect(try await world.state(of: .code()) == .sent)
    }
}
