import Foundation
import Kith
import KithModel
import Testing

/// The server recognises a request that makes something by its key: the header `Idempotency-Key`.
@Suite("A request that makes something") struct UnansweredRequestsTests {
    private func keys(_ phone: Phone, _ path: String) -> [String] {
        phone.server.requests.filter { $0.method == "POST" && $0.path == path }.map { $0.key ?? "none" }
    }

    @Test("has the same key again after it got no answer, and another one after an answer", arguments: [0, 503])
    func again(status: Int) async throws {
        let phone = try Phone()
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sessions" else { return nil }
            guard status > 0 else { throw KithError(.offline, "The answer was lost.") }
            return TransportResponse(status: status, body: FakeServer.problem(status, .busy, "Send it again."))
        }
        for _ in 0..<2 { _ = await code { try await phone.client.syncNow() } }
        phone.server.mend()
        try await phone.client.syncNow()
        let first = keys(phone, "/v1/sessions")
        #expect(first.count == 3 && Set(first).count == 1 && !first.contains("none"))
        _ = try await phone.client.session.open()
        #expect(Set(keys(phone, "/v1/sessions")).count == 2)
    }

    @Test("has another key after a refusal, and with other content") func others() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        let path = "/v1/lists/\(list)/links"
        phone.server.wire.instead = { request in
            guard request.path == path else { return nil }
            return TransportResponse(status: 410, body: FakeServer.problem(410, .linkExpired, "It was revoked."))
        }
        for _ in 0..<2 { #expect(await code { _ = try await phone.lists.invite(to: list, as: .editor) } == .notFound) }
        #expect(Set(keys(phone, path)).count == 2)
        phone.server.wire.instead = { request in
            guard request.path == path else { return nil }
            throw KithError(.offline, "The answer was lost.")
        }
        for role in [Role.editor, .viewer, .editor] {
            #expect(await code { _ = try await phone.lists.invite(to: list, as: role) } == .offline)
        }
        let lost = keys(phone, path).suffix(3)
        #expect(lost.first == lost.last && Set(lost).count == 2)
    }

    @Test("is sent again with another key if the pairing of an unanswered one can no longer be used")
    func pairing() async throws {
        let phone = try Phone()
        let path = "/v1/pairings"
        phone.server.wire.instead = { request in
            guard request.path == path else { return nil }
            throw KithError(.offline, "The answer was lost.")
        }
        #expect(await code { _ = try await phone.client.pairings.make() } == .offline)
        let lost = try #require(keys(phone, path).first)
        let pairing = Pairing(
            id: PairingID(UUID()), link: "https://kith.example/pair#token", expires: Timestamp(milliseconds: 1))
        let answer = try JSONEncoder().encode(pairing)
        phone.server.wire.instead = { request in
            guard request.path == path else { return nil }
            guard request.key == lost else { return TransportResponse(status: 201, body: answer) }
            return TransportResponse(status: 410, body: FakeServer.problem(410, .codeExpired, "It has expired."))
        }
        #expect(try await phone.client.pairings.make() == pairing)
        #expect(keys(phone, path).count == 3 && Set(keys(phone, path)).count == 2)
    }

    @Test("has its key in quotes in a header; other requests have none") func header() throws {
        let request = TransportRequest(method: "POST", path: "/v1/sessions", key: "8e03978e-40d5")
        #expect(request.headers["Idempotency-Key"] == "\"8e03978e-40d5\"")
        #expect(TransportRequest(method: "GET", path: "/ready").headers["Idempotency-Key"] == nil)
    }
}
