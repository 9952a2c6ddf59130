import Foundation
import Kith
import KithModel
import Testing

@Suite("A server that does not give its id") struct UnknownHomeTests {
    private static let here = "https://kith.example.com"

    /// A proxy that lets only `/v1` through.
    private static func hideReadiness(of server: FakeServer) {
        server.refuse(404) { $0 == "/ready" }
    }

    @Test("Law 13: Behind a proxy that hides /ready an account keeps its server, and everything is sent")
    func hiddenReadiness() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let server = FakeServer()
        Self.hideReadiness(of: server)
        let phone = try Phone(server, file: folder.replica, credentials: credentials, address: Self.here)
        let list = try await phone.lists.create("Groceries").id
        try await phone.client.syncNow()
        #expect(try await phone.client.status().server == server.change(\.server))
        let again = try Phone(server, file: folder.replica, seed: 2, credentials: credentials, address: Self.here)
        try await again.lists.add("Milk", to: list)
        try await again.client.syncNow()
        #expect(server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await again.client.status().server == server.change(\.server))
        // Another server at another address, as taciturn.
        let other = FakeServer.other()
        Self.hideReadiness(of: other)
        let stray = try Phone(
            other, file: folder.replica, seed: 3, credentials: credentials, address: "https://other.example.com")
        #expect(await code { try await stray.client.syncNow() } == .otherServer)
        #expect(other.requests.isEmpty)
    }

    @Test(
        "Behind a proxy that hides /ready the server is asked for its id once with the token, if it is not known")
    func askedOnce() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let server = FakeServer()
        Self.hideReadiness(of: server)
        func asked() -> Int { server.requests.count { $0.method == "GET" && $0.path == "/v1/session" } }
        let phone = try Phone(server, file: folder.replica, credentials: credentials, address: Self.here)
        try await phone.client.session.open()
        #expect(try await phone.client.status().server == server.change(\.server))
        for _ in 0..<3 { try await phone.client.syncNow() }
        #expect(asked() == 0)
        let again = try Phone(server, file: folder.replica, seed: 2, credentials: credentials, address: Self.here)
        for _ in 0..<3 { try await again.client.syncNow() }
        #expect(asked() == 1)
    }

    @Test("Behind a proxy that hides /ready the answer to a sign-in tells the server's id") func signIn() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let server = FakeServer()
        Self.hideReadiness(of: server)
        let phone = try Phone(server, file: folder.replica, credentials: credentials, address: Self.here)
        try await phone.client.session.open()
        try await phone.client.session.logOut()
        let owner = server.change { $0.openSession(at: server.clock.now) }.account
        server.change { $0.identify(owner) }
        let again = try Phone(server, file: folder.replica, seed: 2, credentials: credentials, address: Self.here)
        let sent = try await again.client.signIn.requestCode(for: try #require(Identity("mailto:ada@example.com")))
        _ = try await again.client.signIn.check(World.code, of: sent)
        try await again.client.syncNow()
        #expect(!server.requests.contains { $0.method == "GET" && $0.path == "/v1/session" })
    }

    @Test("Behind a proxy that hides /ready a refusal is believed only if it names the account's server")
    func refusalOfAnother() async throws {
        let (phone, _) = try await Phone.withList()
        let other = FakeServer.other().change(\.server)
        let there = try #require(other)
        let refusal = #"""
            {"type": "about:blank", "title": "Problem", "status": 401, "detail": "No.", "code": "tokenInvalid", "id": "1",
            "server": "\#(there)"}
            """#
        phone.server.wire.instead = { request in
            switch request.path {
            case "/ready": TransportResponse(status: 404, body: Data("{}".utf8))
            case "/v1/sync": TransportResponse(status: 401, body: Data(refusal.utf8))
            default: nil
            }
        }
        #expect(await code { try await phone.client.syncNow() } == .otherServer)
        #expect(try phone.account().state == .anonymous)
    }

    @Test("A server that has taken over the address is recognised by its answer to the token")
    func takenOver() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let phone = try Phone(file: folder.replica, credentials: credentials, address: Self.here)
        let list = try await phone.lists.create("Groceries").id
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        let other = FakeServer.other()
        Self.hideReadiness(of: other)
        let tokens = phone.server.change(\.tokens)
        other.change { $0.tokens = tokens }
        let stray = try Phone(other, file: folder.replica, seed: 2, credentials: credentials, address: Self.here)
        #expect(await code { try await stray.client.syncNow() } == .otherServer)
        #expect(other.rounds.isEmpty)
        #expect(try await stray.waiting() == 1)
    }

    @Test("Law 13: An account without a known server sends no edit before a server has accepted its token")
    func noEdits() async throws {
        let (phone, list) = try await Phone.withList()
        try phone.execute("UPDATE account SET server = NULL, address = NULL")
        try await phone.lists.add("Milk", to: list)
        let other = FakeServer.other()
        let stray = try Phone(other, database: phone.client.replica.database, credentials: phone.credentials)
        #expect(await code { try await stray.client.syncNow() } == .otherServer)
        #expect(other.requests.map(\.path) == ["/v1/session"])
        #expect(try await stray.client.session.state() == .anonymous)
        let again = try Phone(phone.server, database: phone.client.replica.database, credentials: phone.credentials)
        try await again.client.syncNow()
        #expect(phone.server.requests.count { $0.path == "/v1/session" } == 1)
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("After a proxy's error the server's id is requested again") func proxyError() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.refuse(502) { $0 == "/v1/sync" }
        try await phone.lists.add("Milk", to: list)
        _ = try? await phone.client.syncNow()
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.identifications == 2)
    }
}
