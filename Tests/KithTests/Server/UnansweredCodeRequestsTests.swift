import Foundation
import Kith
import KithModel
import Testing

@Suite("A request for a code") struct UnansweredCodeRequestsTests {
    private let phone: Phone
    private let ada: Identity
    private let ben: Identity

    init() throws {
        phone = try Phone()
        (ada, ben) = (
            try #require(Identity("mailto:ada@example.com")), try #require(Identity("mailto:ben@example.com"))
        )
    }

    /// From now on the server sends each code, and its answer is lost.
    private func loseAnswers() {
        let server = phone.server
        server.wire.instead = { request in
            guard request.path == "/v1/codes", let body = request.body else { return nil }
            let code = try JSONDecoder().decode(CodeRequest.self, from: body)
            if let identity = code.identity { server.change { $0.codes[code.id] = (identity, request.token ?? "") } }
            throw KithError(.offline, "The answer is lost.")
        }
    }

    /// The ids of all requests, in their order.
    private func ids() throws -> [CodeID] {
        try phone.server.requests.filter { $0.path == "/v1/codes" }.map {
            try JSONDecoder().decode(CodeRequest.self, from: $0.body ?? Data()).id
        }
    }

    @Test("Trap: the answer is lost, and the code that arrives is of no use – the next request has the same id")
    func lostAnswer() async throws {
        loseAnswers()
        for device in ["Phone", "Ada’s phone"] {
            #expect(await code { _ = try await phone.client.signIn.requestCode(for: ada, device: device) } == .offline)
        }
        phone.server.mend()
        let sent = try await phone.client.signIn.requestCode(for: ada)
        #expect(try Set(ids()) == [sent.id] && ids().count == 3)
        let result = try await phone.client.signIn.check(World.code, of: sent)
        #expect(result.identity == ada)
        // That one was answered.
        #expect(try await phone.client.signIn.requestCode(for: ada).id != sent.id)
    }

    @Test("has another id for another email, with another one to replace, after a refusal, and when a code has expired")
    func others() async throws {
        let signIn = phone.client.signIn
        loseAnswers()
        #expect(await code { _ = try await signIn.requestCode(for: ada) } == .offline)
        #expect(await code { _ = try await signIn.requestCode(for: ben) } == .offline)
        #expect(await code { _ = try await signIn.requestCode(for: ada, replacing: ben) } == .offline)
        #expect(try Set(ids()).count == 3)
        phone.clock.advance(by: .minutes(10))
        phone.server.refuse(409, .conflict) { $0 == "/v1/codes" }
        for _ in 0..<2 { #expect(await code { _ = try await signIn.requestCode(for: ada) } == .refused) }
        #expect(try Set(ids()).count == 5)
    }
}
