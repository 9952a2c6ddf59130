import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

/// The newer program is this one with one more step of the migrations.
@Suite(
    "An upgrade of nodes, one after the other, while devices send edits", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct RollingUpgradeTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    private static let adding = Migrations(
        further: [.adding(["ALTER TABLE feed ADD COLUMN colour TEXT", "CREATE INDEX feed_colour ON feed (colour)"])])
    private static let replacing = Migrations(
        further: [.replacing(["CREATE TABLE replaced (id BIGINT NOT NULL PRIMARY KEY)"])])

    /// After so long a silence a node counts as ended: longer than a busy machine keeps one that runs from writing.
    private static let longSilence = Duration.seconds(600)

    /// Fewer connections for each of several nodes.
    private static var settings: PostgresSettings {
        var settings = PostgresSettings.patient
        (settings.connections, settings.writers) = (8, 7)
        return settings
    }

    /// Devices send as fast as they can, and the clock stands still.
    private static func setLimits(_ configuration: inout ServerConfiguration) {
        let much = Rate(perSecond: 1_000_000, burst: 1_000_000)
        (configuration.limits.session, configuration.limits.address) = (much, much)
        (configuration.limits.sessionWork, configuration.limits.addressWork) = (much, much)
    }

    /// Devices that send one edit after another, each at whichever node takes it.
    private final class Traffic: Sendable {
        /// The nodes behind the load balancer.
        let nodes: Mutex<[TestServer]>
        /// The edits that were acknowledged.
        let taken = Mutex(0)
        private let isEnding = Mutex(false)
        private let writers = Mutex<[Task<Void, any Error>]>([])

        init(_ node: TestServer) { nodes = Mutex([node]) }

        func begin(with devices: [(TestDevice, ListID)]) {
            let tasks = devices.map { device, list in Task { try await self.write(from: device, to: list) } }
            writers.withLock { $0 = tasks }
        }

        /// Sends edits until the traffic ends. Each is sent until a node has acknowledged it.
        private func write(from phone: TestDevice, to list: ListID) async throws {
            var (device, turn) = (phone, 0)
            while !isEnding.withLock({ $0 }) {
                let edit = device.mutation(
                    1, .items, UUID(), in: list,
                    set: ["title": "Tea", "position": .text(IndexKey.first.text)])
                while true {
                    try Task.checkCancellation()
                    let all = nodes.withLock { $0 }
                    turn += 1
                    let reply = try? await all[turn % all.count].ask(
                        "POST", "/v1/sync", token: device.session.token, json: device.request([edit]))
                    guard let reply, reply.status == 200 else {
                        try await Task.sleep(for: .milliseconds(5))
                        continue
                    }
                    let answer: SyncAnswer = try reply.decoded()
                    (device.acknowledged, device.token) = (answer.acknowledged, answer.token)
                    #expect(answer.outcomes.isEmpty)
                    taken.withLock { $0 += 1 }
                    break
                }
            }
        }

        /// Waits until further edits were acknowledged.
        func go(on edits: Int = 40) async throws {
            let goal = taken.withLock { $0 } + edits
            try await Limit("\(edits) more edits are acknowledged").until { self.taken.withLock { $0 } >= goal }
        }

        /// Waits until each edit that was begun is acknowledged.
        func finish() async throws {
            isEnding.withLock { $0 = true }
            for writer in writers.withLock({ $0 }) { try await writer.value }
        }

        func cancel() {
            for writer in writers.withLock({ $0 }) { writer.cancel() }
        }
    }

    /// Lets devices send edits at a node while `body` runs, which finishes the traffic. The database then has each
    /// acknowledged edit, and nothing else.
    private func withTraffic(
        at node: TestServer, _ address: String, _ body: (Traffic) async throws -> Void
    ) async throws {
        let traffic = Traffic(node)
        var devices: [(TestDevice, ListID)] = []
        for _ in 0..<4 {
            var device = TestDevice(try await node.newSession())
            let list = try await device.makeList("Groceries", with: node)
            devices.append((device, list))
        }
        traffic.begin(with: devices)
        do {
            try await traffic.go()
            try await body(traffic)
        } catch {
            traffic.cancel()
            throw error
        }
        let stored = try await server.sql("SELECT count(*) FROM record WHERE collection = 'item'", at: address)
        #expect(stored == [String(traffic.taken.withLock { $0 })], "Lost: 0. Doubled: 0.")
    }

    private func version(at address: String) async throws -> [String] {
        try await server.sql("SELECT value FROM meta WHERE name = 'version'", at: address)
    }

    @Test("Law 12: A step that only adds is done while older nodes take edits, and an older node can start after it")
    func adding() async throws {
        let address = try await server.address()
        let known = Migrations().steps(.postgres).count
        let old = try await PostgresDatabase(url: address, settings: Self.settings)
        try await TestServer.run(Self.setLimits, database: old) { first in
            try await withTraffic(at: first, address) { traffic in
                #expect(try await version(at: address) == [String(known)])
                let new = try await PostgresDatabase(
                    url: address, settings: Self.settings, migrations: Self.adding)
                #expect(try await version(at: address) == [String(known + 1)])
                try await traffic.go()
                try await TestServer.run(Self.setLimits, database: new) { second in
                    traffic.nodes.withLock { $0.append(second) }
                    try await traffic.go()
                    let again = try await PostgresDatabase(url: address, settings: Self.settings)
                    try await TestServer.run(Self.setLimits, database: again) { third in
                        traffic.nodes.withLock { $0.append(third) }
                        try await traffic.go()
                        traffic.nodes.withLock { $0 = [first] }
                    }
                    await again.close()
                }
                await new.close()
                #expect(try await version(at: address) == [String(known + 1)])
                try await traffic.go()
                try await traffic.finish()
            }
            #expect(!first.log.text.contains("newer program"))
        }
        await old.close()
    }

    @Test("Law 12: Before a step that older programs would not survive, their nodes stop, and the new one goes on")
    func replacing() async throws {
        let address = try await server.address()
        let old = try await PostgresDatabase(url: address, settings: Self.settings)
        let known = Migrations().steps(.postgres).count
        let error = await #expect(throws: ServerError.self) {
            try await TestServer.run(Self.setLimits, database: old) { first in
                try await withTraffic(at: first, address) { traffic in
                    // Returns after the step, which waits until the older node has stopped.
                    let new = try await PostgresDatabase(
                        url: address, settings: Self.settings, migrations: Self.replacing, silence: Self.longSilence)
                    #expect(first.log.text.contains("critical A newer program upgrades the database."))
                    #expect(try await version(at: address) == [String(known + 1)])
                    // By now, the server of another test can have its port.
                    let answer = try? await first.ask("GET", "/ready")
                    let other = try? answer?.decoded(as: Readiness.self).server
                    #expect(answer == nil || other != nil && other != old.server, "It has stopped.")
                    try await TestServer.run(Self.setLimits, database: new) { second in
                        traffic.nodes.withLock { $0 = [second] }
                        try await traffic.go()
                        try await traffic.finish()
                    }
                    await new.close()
                }
            }
        }
        #expect(error?.code == .busy && error?.sentence.contains("A newer program upgrades the database") == true)
        let refusal = await #expect(throws: ServerError.self) {
            try await PostgresDatabase(url: address, settings: Self.settings)
        }
        #expect(refusal?.sentence.contains("This program knows \(known).") == true)
        await old.close()
    }

    @Test("A node whose database was upgraded after it was opened answers no request")
    func lateNode() async throws {
        let address = try await server.address()
        let old = try await PostgresDatabase(url: address, settings: Self.settings)
        // It has given no sign of life, so the newer program does not wait for it.
        await (try await PostgresDatabase(url: address, settings: Self.settings, migrations: Self.replacing)).close()
        let hasListened = Mutex(false)
        let error = await #expect(throws: ServerError.self) {
            try await TestServer.run(Self.setLimits, database: old) { _ in hasListened.withLock { $0 = true } }
        }
        #expect(error?.sentence.contains("A newer program upgrades the database") == true)
        #expect(!hasListened.withLock { $0 })
        await old.close()
    }

    @Test("A node that has died does not keep the newer program waiting for longer than the silence")
    func deadNode() async throws {
        let address = try await server.address()
        await (try await PostgresDatabase(url: address, settings: Self.settings)).close()
        try await server.sql("INSERT INTO node (id, beat, beaten_at, changes) VALUES ('dead', 5, 0, 0)", at: address)
        let new = try await PostgresDatabase(
            url: address, settings: Self.settings, migrations: Self.replacing, silence: .milliseconds(200))
        #expect(try await server.sql("SELECT count(*) FROM replaced", at: address) == ["0"])
        await new.close()
    }

    @Test("A newer node that waits goes on when another has done the step, though that writes heartbeats")
    func together() async throws {
        let address = try await server.address()
        await (try await PostgresDatabase(url: address, settings: Self.settings)).close()
        let known = Migrations().steps(.postgres).count
        try await server.sql("INSERT INTO node (id, beat, beaten_at, changes) VALUES ('old', 5, 0, 0)", at: address)
        let opening = Task {
            try await PostgresDatabase(
                url: address, settings: Self.settings, migrations: Self.replacing, silence: Self.longSilence)
        }
        try await server.wait(
            until: "EXISTS (SELECT 1 FROM meta WHERE name = 'oldest' AND value = '\(known + 1)')", at: address)
        // What the other does, in one transaction, with the row of the older node as its own.
        try await server.sql(
            "UPDATE meta SET value = '\(known + 1)' WHERE name = 'version'", at: address)
        await (try await opening.value).close()
    }

    @Test("While a newer program waits for an older node, no older one starts, and nothing is changed yet")
    func waiting() async throws {
        let address = try await server.address()
        await (try await PostgresDatabase(url: address, settings: Self.settings)).close()
        let known = Migrations().steps(.postgres).count
        try await server.sql("INSERT INTO node (id, beat, beaten_at, changes) VALUES ('old', 5, 0, 0)", at: address)
        let opening = Task {
            try await PostgresDatabase(
                url: address, settings: Self.settings, migrations: Self.replacing, silence: Self.longSilence)
        }
        try await server.wait(
            until: "EXISTS (SELECT 1 FROM meta WHERE name = 'oldest' AND value = '\(known + 1)')", at: address)
        let refusal = await #expect(throws: ServerError.self) {
            try await PostgresDatabase(url: address, settings: Self.settings)
        }
        #expect(refusal?.sentence.hasPrefix("The database is being upgraded to version \(known + 1),") == true)
        #expect(try await version(at: address) == [String(known)])
        try await server.sql("DELETE FROM node", at: address)
        await (try await opening.value).close()
        #expect(try await version(at: address) == [String(known + 1)])
    }
}
