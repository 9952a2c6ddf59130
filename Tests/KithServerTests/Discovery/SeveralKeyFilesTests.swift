import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite(
    "Discovery at several servers, each with its own file of keys", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct SeveralKeyFilesTests {
    private let folder = Folder()
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    private var first: URL { folder.url.appending(path: "first.keys") }
    private var second: URL { folder.url.appending(path: "second.keys") }

    private func copyKeys() throws {
        try? FileManager.default.removeItem(at: second)
        try FileManager.default.copyItem(at: first, to: second)
    }

    /// Two servers with the same keys, which write heartbeats, and a person who is found.
    private func withServers(_ body: (Seeker, Seeker, AccountID) async throws -> Void) async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let one = try await Seeker(database, keys: DiscoveryKeys(file: first))
            let ada = try await one.register("mailto:ada@example.com")
            try copyKeys()
            let two = try await Seeker(database, keys: DiscoveryKeys(file: second))
            try await Self.beat(database, at: Seeker.noon)
            try await body(one, two, ada)
        }
    }

    private static func beat(_ database: PostgresDatabase, at now: Timestamp) async throws {
        for node in ["one", "two"] {
            _ = try await database.write { try NodeRow.beat(NodeID(node), at: now, in: $0) }
        }
    }

    @Test("Trap: a server without the new key would add people who are found under the old one only – it adds none")
    func rotated() async throws {
        try await withServers { one, two, ada in
            let new = try one.keys.add().id
            try await one.keepUp()
            #expect(await refusal { try await two.register("mailto:ben@example.com") }?.code == .busy)
            let upkeep = await refusal { try await two.keepUp() }
            #expect(upkeep?.code == .busy && upkeep?.sentence.contains(new) == true)
            #expect(try await one.find("mailto:ada@example.com", key: new) == ada)
            try copyKeys()
            let ben = try await two.register("mailto:ben@example.com")
            try await two.keepUp()
            #expect(try await one.find("mailto:ben@example.com", key: new) == ben)
        }
    }

    @Test("Trap: a server that still has a key after its end would take it for a new one – its row stays")
    func ended() async throws {
        try await withServers { one, two, ada in
            let new = try one.keys.add().id
            try await one.keepUp()
            try copyKeys()
            let end = Seeker.noon + Limits.keyOverlap
            try await one.keepUp(at: end)
            #expect(try two.keys.all().count == 2)
            try await two.keepUp(at: end)
            #expect(try two.keys.all().map(\.id) == [new])
            let described = try await two.service.describe(for: two.account, at: end).keys
            #expect(described.map(\.id) == [new] && described.map(\.until) == [nil])
            #expect(try await two.find("mailto:ada@example.com", at: end) == ada)
        }
    }

    @Test("Trap: a server with another file would replace the key of all others – it changes nothing while they run")
    func otherFile() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let one = try await Seeker(database, keys: DiscoveryKeys(file: first))
            let ada = try await one.register("mailto:ada@example.com")
            try await Self.beat(database, at: Seeker.noon)
            let before = try await one.dump("discovery_key")
            let other = try await Seeker(database, keys: DiscoveryKeys(file: second))
            #expect(await refusal { try await other.keepUp() }?.code == .busy)
            #expect(await refusal { try await other.register("mailto:ben@example.com") }?.code == .busy)
            let after = try await one.dump("discovery_key")
            #expect(after == before)
            #expect(try await one.find("mailto:ada@example.com") == ada)
            // By its own clock, the others have been silent for long.
            let later = Seeker.noon + .minutes(5)
            #expect(await refusal { try await other.keepUp(at: later) }?.code == .busy)
            #expect(try await one.dump("discovery_key") == before)
            // Alone, it is a server that has lost its file.
            try await database.write { transaction in
                for row in try NodeRow.all(in: transaction) { try row.remove(in: transaction) }
            }
            try await other.keepUp(at: later)
            #expect(try await other.find("mailto:ada@example.com", at: later) == ada)
        }
    }
}
