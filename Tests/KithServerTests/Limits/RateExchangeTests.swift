import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Rates in the table that nodes share", .postgresServer) struct RateExchangeTests {
    /// So slow that no token is earned while a test runs: the clock of the database does not stand still.
    private static let rate = Rate(perSecond: 0.000_1, burst: 8)

    /// A node with one limit.
    private struct Node {
        let limit = RateLimit<String>("session", RateExchangeTests.rate, isShared: true)
        let exchange: RateExchange

        init(_ database: any Database, _ clock: HandClock) {
            exchange = RateExchange([limit], database, clock.server)
        }

        /// Takes as many tokens as there are.
        func empty(_ caller: String) {
            while limit.take(from: caller, at: .zero) == nil {}
        }
    }

    @Test("Law 10: What a caller has taken at one node is missing at the other", arguments: Backend.all)
    func shared(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let clock = HandClock()
            let (one, two) = (Node(database, clock), Node(database, clock))
            one.empty("ada")
            await one.exchange.run()
            #expect(two.limit.take(from: "ada", at: .zero) == nil)
            await two.exchange.run()
            #expect(two.limit.take(from: "ada", at: .zero) != nil)
            #expect(two.limit.take(from: "ben", at: .zero) == nil)
        }
    }

    @Test("Uses of a caller add up, and those of other limits are apart", arguments: Backend.all)
    func added(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let caller = Data([1, 2, 3])
            let use = RateUse("session", caller, cost: .seconds(10_000), age: .zero)
            _ = try await database.write { try RateUse.add([use], in: $0) }
            let other = RateUse("address", caller, cost: .seconds(5_000), age: .seconds(1_000))
            let times = try await database.write { try RateUse.add([use, other], in: $0) }
            let (session, address) = (times["session"]?[caller] ?? .zero, times["address"]?[caller] ?? .zero)
            // The clock of the database runs meanwhile.
            #expect(session <= .seconds(20_000) && session > .seconds(15_000))
            #expect(address <= .seconds(4_000) && address > .zero)
            let later = try await database.read { try RateUse.read(in: $0) }
            #expect(later.mapValues { Set($0.keys) } == ["session": [caller], "address": [caller]])
        }
    }

    @Test("A bucket that is full for long is deleted, and one in use is not") func purged() async throws {
        let database = try SQLiteDatabase.inMemory()
        let uses = [
            RateUse("session", Data([1]), cost: .seconds(1), age: .seconds(7_200)),
            RateUse("session", Data([2]), cost: .seconds(1), age: .zero),
        ]
        _ = try await database.write { try RateUse.add(uses, in: $0) }
        try await Housekeeping(database: database, signals: .none).purge(Timestamp(Date()))
        let left = try await database.read { try $0.query("SELECT caller FROM rate_use").map { try $0.bytes(0) } }
        #expect(left == [Data([2])])
    }

    @Test("Without the database a node goes on alone, and reports everything later") func alone() async throws {
        let (database, clock) = (Failing(try SQLiteDatabase.inMemory()), HandClock())
        let (one, two) = (Node(database, clock), Node(database, clock))
        one.empty("ada")
        database.isFailing.withLock { $0 = true }
        await one.exchange.run()
        #expect(one.limit.take(from: "ada", at: .zero) != nil)
        database.isFailing.withLock { $0 = false }
        await one.exchange.run()
        await two.exchange.run()
        #expect(two.limit.take(from: "ada", at: .zero) != nil)
    }

    @Test("Trap: a session's token is a secret – other nodes see its hash") func tokens() throws {
        let gate = Gate(ServerLimits(), clock: HandClock().server, isShared: true)
        let address = try #require(IPAddress("192.0.2.1"))
        for _ in 0..<ServerLimits().session.burst {
            try gate.pass(session: "secret token")
            try gate.pass(address: address)
        }
        let callers = gate.shared.flatMap { $0.report(at: .zero) }.map(\.caller)
        #expect(callers.contains(address.sharedBytes))
        #expect(callers.count == 2 && !callers.contains { String(decoding: $0, as: UTF8.self).contains("secret") })
    }

    /// A database that can be out of reach.
    private final class Failing: DatabaseDouble {
        let database: any Database
        let isFailing = Mutex(false)

        init(_ database: any Database) { self.database = database }

        func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
            try check()
            try await database.write { try work.run(in: $0) }
        }

        func performRead(_ work: any TransactionWork) async throws {
            try check()
            try await database.perform(work, as: .read)
        }

        private func check() throws {
            if isFailing.withLock({ $0 }) { throw ServerError(.busy, "The database is away.") }
        }
    }
}
