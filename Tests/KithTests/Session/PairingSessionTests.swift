import Foundation
import Kith
import KithModel
import Testing

@Suite("The session of a pairing") struct PairingSessionTests {
    @Test("Trap: the account is switched while a QR code is shown – its state and its end are asked of its own account")
    func switched() async throws {
        let (phone, made) = try await phoneWithPairing()
        let token = try #require(try await phone.client.session.token())
        try await phone.switchAccount()
        try await expectRequests(about: made, from: phone, token: token)
    }

    @Test("The user signs in to the same account again while a QR code is shown: the requests have the new token")
    func renewed() async throws {
        let (phone, made) = try await phoneWithPairing()
        let account = try #require(try await phone.client.session.account())
        phone.server.change { $0.tokens = ["renewed": account] }
        _ = try await phone.client.session.activate(token: "renewed")
        try await expectRequests(about: made, from: phone, token: "renewed")
    }

    @Test(
        "The result is asked for when the server wants to be asked again, at the latest when the pairing has expired",
        arguments: [(0, 2), (30, 30), (3_000, 600)])
    func asksLater(retryAfter: Int, pause: Int) async throws {
        let (server, pauses) = (FakeServer(), Pauses())
        let replica = try Replica(.inMemory, dependencies: pauses.dependencies(server.clock))
        let client = try KithClient(replica: replica, transport: server, credentials: InMemoryCredentialStore())
        let pairing = Pairing(
            id: PairingID(UUID()), link: "https://kith.example/pair#token", expires: server.clock.now + .minutes(10))
        server.refuse(503, .busy, retryAfter: retryAfter) { $0.hasPrefix("/v1/pairings/") }
        let result = Task { try await client.pairings.result(of: pairing) }
        try await until { !pauses.underWay.isEmpty }
        #expect(pauses.underWay == [.seconds(pause)])
        result.cancel()
        await #expect(throws: CancellationError.self) { try await result.value }
    }

    @Test(
        "Trap: The page to sign in of a network answers – the wait for the result of a pairing goes on",
        .timeLimit(.minutes(15)))
    func behindPage() async throws {
        let (server, pauses) = (FakeServer(), Pauses())
        let replica = try Replica(.inMemory, dependencies: pauses.dependencies(server.clock))
        let client = try KithClient(replica: replica, transport: server, credentials: InMemoryCredentialStore())
        let pairing = Pairing(
            id: PairingID(UUID()), link: "https://kith.example/pair#token", expires: server.clock.now + .minutes(10))
        server.wire.instead = {
            $0.path.hasPrefix("/v1/pairings/") ? TransportResponse(status: 200, body: Data("<html>".utf8)) : nil
        }
        let result = Task { try await client.pairings.result(of: pairing) }
        try await until { !pauses.underWay.isEmpty }
        #expect(pauses.underWay == [Pairings.interval])
        result.cancel()
        await #expect(throws: CancellationError.self) { try await result.value }
    }

    /// A phone that shows a QR code, which has been used.
    private func phoneWithPairing() async throws -> (Phone, Pairing) {
        let (phone, _) = try await Phone.withList()
        let pairing = Pairing(
            id: PairingID(UUID()), link: "https://kith.example/pair#token", expires: phone.clock.now + .minutes(10))
        let answer = try JSONEncoder().encode(pairing)
        let status = try JSONEncoder().encode(PairingStatus(state: .used, expires: pairing.expires, device: "Tablet"))
        phone.server.wire.instead = { request in
            switch (request.method, request.path) {
            case ("POST", "/v1/pairings"): TransportResponse(status: 201, body: answer)
            case ("GET", "/v1/pairings/\(pairing.id)"): TransportResponse(status: 200, body: status)
            case ("DELETE", "/v1/pairings/\(pairing.id)"): TransportResponse(status: 204, body: Data())
            default: nil
            }
        }
        return (phone, try await phone.client.pairings.make())
    }

    /// Asks for the pairing's result and ends it, and expects both requests to have this token.
    private func expectRequests(about made: Pairing, from phone: Phone, token: String) async throws {
        #expect(try await phone.client.pairings.result(of: made).state == .used)
        try await phone.client.pairings.end(made.id)
        let requests = phone.server.requests.filter { $0.path.hasPrefix("/v1/pairings/") }
        #expect(requests.map(\.method) == ["GET", "DELETE"])
        #expect(requests.allSatisfy { $0.token == token })
    }
}
