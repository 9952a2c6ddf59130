import Foundation
import KithModel
import KithServer
import Testing

/// People at a server under test, and what they are to each other.
struct Village: Sendable {
    let server: TestServer
    let database: SQLiteDatabase

    /// Runs `body` against a server over a database that it can reach into.
    static func run(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Village) async throws -> Void
    ) async throws {
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run(change, database: database) { server in
            try await body(Village(server: server, database: database))
        }
    }

    /// A device with a new account, whose profile has these fields.
    func person(_ profile: Fields = [:]) async throws -> TestDevice {
        var device = TestDevice(try await server.newSession())
        if !profile.isEmpty { try await set(profile, of: &device) }
        return device
    }

    /// Has a person change their profile.
    func set(_ profile: Fields, of device: inout TestDevice) async throws {
        let mutation = device.mutation(
            1, .profiles, Profile.id.uuid, in: device.session.account.retyped(), set: profile)
        try #require(try await device.sync([mutation], with: server).outcomes.isEmpty)
    }

    /// Has a person change what they have of another.
    func set(_ contact: Fields, of peer: AccountID, by device: inout TestDevice) async throws {
        let mutation = device.mutation(
            1, .contacts, peer.uuid, in: device.session.account.retyped(), set: contact)
        try #require(try await device.sync([mutation], with: server).outcomes.isEmpty)
    }

    /// Lays down that two people are connected; those who have a stream open do not hear of it.
    func connect(_ one: TestDevice, _ other: TestDevice) async throws {
        try await lay(one.session.account, other.session.account)
        try await lay(other.session.account, one.session.account)
    }

    /// Has a person say how they appear to others.
    func show(_ state: Presence.State, by device: TestDevice) async throws -> Reply {
        try await server.ask(
            "PUT", "/v1/presence?device=\(device.id)", token: device.session.token, json: PresenceRequest(state: state))
    }

    /// How a person appears to another.
    func presence(of device: TestDevice, to viewer: TestDevice) async throws -> Presence {
        try await get("/v1/accounts/\(device.account)/presence", by: viewer).decoded()
    }

    private func lay(_ account: AccountID, _ peer: AccountID) async throws {
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps, deleted)
                VALUES (?, ?, 'contact', 1, 1, ?, ?, 0)
                """,
                [
                    .id(account), .id(peer), .text(#"{"asked":1,"wish":"connect"}"#), .text(#"{"":[1,1,1]}"#),
                ])
            try transaction.execute(
                "UPDATE feed SET sequence = sequence + 1, live = live + 1 WHERE id = ?", [.id(account)])
        }
    }

    /// What someone gets for a path.
    func get(_ path: String, by device: TestDevice, headers: [String: String] = [:]) async throws -> Reply {
        try await server.ask("GET", path, token: device.session.token, headers: headers)
    }
}

extension TestDevice {
    var account: AccountID { session.account }
}
