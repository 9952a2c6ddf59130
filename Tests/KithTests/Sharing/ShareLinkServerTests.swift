import Kith
import KithModel
import Testing

@Suite("The server of a link with a share code") struct ShareLinkServerTests {
    private static let here = "https://kith.example.com"
    private static let there = "https://other.example.com"

    @Test(
        "A code behind a link of another server is not used here, where it can belong to somebody else",
        arguments: ["https://other.example.com/", "kith://other.example.com/", "other.example.com/"])
    func another(server: String) async throws {
        let phone = try Phone(address: Self.here, elsewhere: [Self.there: FakeServer.other()])
        #expect(await code { try await phone.client.sharing.use(code: server + "s/BEN-TEA") } == .otherServer)
        #expect(try await phone.client.sharing.claims().isEmpty)
    }

    @Test("A link at another address of the same server is used") func same() async throws {
        let server = FakeServer()
        let phone = try Phone(server, address: Self.here, elsewhere: ["https://pages.example.com": server])
        let claim = try await phone.client.sharing.use(code: "https://pages.example.com/s/BEN-TEA?c=scan")
        #expect(claim.code.text == "BEN-TEA" && claim.channel == .scan)
        #expect(try await phone.client.sharing.use(code: "\(Self.here)/s/BEN-TEA") == claim)
    }

    @Test("A link whose server does not answer is refused with the advice to use the code alone") func silent()
        async throws
    {
        let phone = try Phone(address: Self.here, elsewhere: [:])
        let error = await #expect(throws: KithError.self) {
            try await phone.client.sharing.use(code: "\(Self.there)/s/BEN-TEA")
        }
        #expect(error?.code == .otherServer && error?.sentence.hasSuffix("use the code alone.") == true)
        #expect(try await phone.client.sharing.use(code: "BEN-TEA").code.text == "BEN-TEA")
    }

    @Test("Without a network, a link is accepted, because no server can be asked") func offline() async throws {
        let phone = try Phone(address: Self.here, elsewhere: [Self.there: FakeServer.other()])
        phone.server.goAway()
        #expect(try await phone.client.sharing.use(code: "\(Self.there)/s/BEN-TEA").code.text == "BEN-TEA")
    }
}
