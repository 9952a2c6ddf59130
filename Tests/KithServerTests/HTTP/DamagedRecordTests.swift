import Foundation
import KithModel
import KithServer
import Testing

@Suite("A stored record that is damaged", .timeLimit(.minutes(15))) struct DamagedRecordTests {
    /// A value that nobody can read any more.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case fields, stamps, programme

        var testDescription: String { rawValue }

        /// Damages the value in the database.
        func happen(in database: SQLiteDatabase) async throws {
            let statement =
                switch self {
                case .fields: "UPDATE record SET fields = 'my diary' WHERE collection = 'item'"
                case .stamps: "UPDATE record SET stamps = 'my diary' WHERE collection = 'item'"
                case .programme:
                    "INSERT INTO programme (name, json, is_paused, created, changed) VALUES ('tea', 'my diary', 0, 0, 0)"
                }
            try await database.write { try $0.execute(statement) }
        }

        /// Sends a request that reads the value.
        func ask(_ server: TestServer, by device: TestDevice, _ item: UUID, in list: ListID) async throws -> Reply {
            let token = device.session.token
            switch self {
            case .fields:
                return try await server.ask(
                    "POST", "/v1/sync", token: token, json: TestDevice(device.session).request())
            case .stamps:
                let edit = device.mutation(1, .items, item, in: list, set: ["title": "Coffee"])
                return try await server.ask("POST", "/v1/sync", token: token, json: device.request([edit]))
            case .programme: return try await server.ask("GET", "/v1/programmes", token: token)
            }
        }
    }

    /// Damages a value, and hands over the server, what it answers, and what its log has to say.
    private func with(
        _ damage: Damage, _ body: @escaping @Sendable (TestServer, Reply, _ words: String) async throws -> Void
    ) async throws {
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run(database: database) { server in
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Groceries", with: server)
            let item = UUID()
            let tea = device.mutation(1, .items, item, in: list, set: ["title": "Tea", "position": "a0"])
            try await device.sync([tea], with: server)
            #expect(try await server.ask("GET", "/ready").status == 200)
            try await damage.happen(in: database)
            let reply = try await damage.ask(server, by: device, item, in: list)
            server.clock.advance(.seconds(1))
            let ids = damage == .programme ? "" : " (feed \(list), record \(RecordID<Never>(item)))"
            try await body(server, reply, "A stored record cannot be read" + ids)
        }
    }

    @Test(
        "Trap: A damaged record is damage of the database: /ready says so, and the device tries again later",
        arguments: Damage.allCases)
    func damage(damage: Damage) async throws {
        try await with(damage) { server, reply, _ in
            try problem(in: reply, 503, .busy)
            #expect(reply.head["retry-after"] == "60")
            let unready = try await server.ask("GET", "/ready")
            try problem(in: unready, 503, .busy)
            #expect(String(decoding: unready.body, as: UTF8.self).contains("is damaged. Restore a backup."))
            #expect(server.log.text.components(separatedBy: "The database is damaged.").count == 2)
        }
    }

    @Test("Trap: The log names a damaged record, and quotes nothing; no answer does", arguments: Damage.allCases)
    func quotes(damage: Damage) async throws {
        try await with(damage) { server, reply, words in
            #expect(!String(decoding: reply.body, as: UTF8.self).contains("diary"))
            #expect(server.log.text.contains("reason=\(words)"))
            #expect(!server.log.text.contains("diary"))
        }
    }
}
