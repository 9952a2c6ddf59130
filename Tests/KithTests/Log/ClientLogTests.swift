import Foundation
import GRDB
import Kith
import KithModel
import Logging
import Testing

@Suite("The log of the SDK", .timeLimit(.minutes(15))) struct ClientLogTests {
    private let log = LogKeeper()
    private let pauses = Pauses()
    private let server = FakeServer()

    private func dependencies() -> Dependencies {
        var dependencies = pauses.dependencies(server.clock)
        dependencies.log = ClientLog(log.logger)
        return dependencies
    }

    private func client(_ location: Replica.Location = .inMemory) throws -> KithClient {
        try KithClient(
            replica: try Replica(location, dependencies: dependencies()), transport: server,
            server: URL(string: "https://kith.example"), credentials: InMemoryCredentialStore())
    }

    @Test("Is quiet unless the app gives a logger, which then gets the lines") func quiet() throws {
        var configuration = KithConfiguration(storage: .inMemory)
        #expect(configuration.logger.handler is SwiftLogNoOpLogHandler)
        configuration.logger = log.logger
        _ = try KithClient(configuration)
        #expect(log.has("debug A new replica is open."))
    }

    @Test("Has the states of the session, and each round with its counts") func rounds() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        #expect(log.has("info The state of the session has changed. from=initial to=anonymous"))
        try await client.lists.add("Milk", to: list)
        try await client.syncNow()
        #expect(log.lines.contains { $0.hasPrefix("debug A round has ended.") && $0.contains("last=true") })
        #expect(log.lines.contains { $0.hasPrefix("debug A round has ended.") && $0.contains("sent=1") })
        try await client.session.logOut()
        #expect(log.lines.contains { $0.hasPrefix("info Another store is current.") })
        #expect(!log.lines.contains { $0.contains("Groceries") || $0.contains("Milk") || $0.contains("\(list)") })
    }

    @Test("Has why a round failed, and when the next attempt is made") func failures() async throws {
        let client = try client()
        try await client.syncNow()
        server.goAway()
        #expect(await code { try await client.syncNow() } == .offline)
        #expect(log.has("info A round has failed. code=offline"))
        #expect(log.has("info The next attempt is made later. ms="))
        server.refuse(503, retryAfter: 7)
        #expect(await code { try await client.syncNow() } == .busy)
        #expect(log.has("warning A round has failed. code=busy retryAfter=7000"))
        server.refuse(401, .tokenInvalid)
        #expect(await code { try await client.syncNow() } == .unauthorized)
        #expect(log.has("warning A round has failed. code=unauthorized problem=tokenInvalid"))
        #expect(log.has("notice The server refuses the anonymous session. A new one replaces it."))
        #expect(log.has("warning The session could not be opened. code=unauthorized problem=tokenInvalid"))
    }

    @Test("Has the codes of refused edits") func refusals() async throws {
        let client = try client()
        let mine = try await client.sharing.shareable(in: "friends")
        try await client.syncNow()
        let taken = try ShareCode("ADA-TEA")
        server.change { $0.takenCodes = [taken] }
        try await client.sharing.setCode("ada-tea", of: mine.id)
        try await client.syncNow()
        #expect(log.has("notice The server has refused edits. codes=codeTaken edits=1"))
        #expect(!log.lines.contains { $0.uppercased().contains("ADA-TEA") || $0.contains(mine.code.text) })
    }

    @Test("Has the commands that were reset, and the end of the live stream") func resets() async throws {
        server.goAway()
        let client = try client()
        let waiting = Task { try await client.session.ready() }
        try await until { !pauses.underWay.isEmpty }
        try await client.accounts.dropEverything()
        #expect(await code { _ = try await waiting.value } == .reset)
        #expect(log.has("info Commands that waited for the session were reset. commands=1"))
        server.mend()
        server.wire.refusesStreams = true
        try await client.session.open()
        try await running(client) { try await until { log.has("debug The live stream has ended.") } }
    }

    @Test("Has the migrations of an older replica, and that a damaged one was replaced") func replicas() throws {
        let folder = TemporaryFolder()
        let old = try #require(ReplicaSchema.migrator.migrations.dropLast().last)
        let new = try #require(ReplicaSchema.migrator.migrations.last)
        do {
            let queue = try DatabaseQueue(path: folder.replica.path(percentEncoded: false))
            try ReplicaSchema.migrator.migrate(queue, upTo: old)
            try queue.close()
        }
        _ = try Replica(.file(folder.replica), dependencies: dependencies())
        #expect(log.has("info The replica was migrated. migrations=\(new)"))
        _ = try Replica(.file(folder.replica), dependencies: dependencies())
        #expect(log.has("debug The replica is open."))
        let broken = TemporaryFolder()
        try Data(repeating: 0x5A, count: 20_000).write(to: broken.replica)
        _ = try Replica(.file(broken.replica), dependencies: dependencies())
        #expect(log.has("warning The replica was damaged."))
        #expect(!log.lines.contains { $0.contains(broken.url.lastPathComponent) })
    }
}
