import Foundation
import Kith
import KithModel
import Testing

@Suite("The answers of rounds lack what has its default") struct MinimalAnswerTests {
    @Test("Each round asks for that with the header Prefer: return=minimal, and no other request has the header")
    func header() async throws {
        let (phone, _, _) = try await Phone.withItem()
        let paths = Set(phone.server.requests.map(\.path))
        #expect(paths.contains("/v1/sync") && paths.count > 1)
        for request in phone.server.requests {
            let expected = request.path == "/v1/sync" ? "return=minimal" : nil
            #expect(request.headers["Prefer"] == expected, "\(request.path)")
        }
    }

    @Test(
        "Law 12: Clients share a list, and lose it, through a server of this version and one that sends every member",
        arguments: [false, true])
    func servers(isOlder: Bool) async throws {
        let server = FakeServer()
        server.wire.ignoresPreferences = isOlder
        let (owner, list) = try await Phone.withList(server)
        let guest = try await shared(owner, list, as: .editor)
        try await guest.lists.add("Tea", to: list)
        try await guest.client.syncNow()
        try await owner.client.syncNow()
        #expect(try await owner.titles(in: list) == ["Tea"])
        let me = try #require(try await guest.client.session.account())
        server.change { $0.expel(me, from: list, at: server.clock.now) }
        try await guest.client.syncNow()
        #expect(try guest.query("SELECT * FROM item").isEmpty)
    }
}
