import Foundation
import Kith
import Testing

@Suite("The link of a pairing") struct PairingLinkTests {
    private static let token = String(repeating: "aZ0-_", count: 9)

    @Test(
        "The address of the server is everything before /pair, including a path and a port",
        arguments: ["https://kith.example", "http://127.0.0.1:8480", "https://example.com/apps/kith"])
    func base(address: String) throws {
        let link = try #require(PairingLink(" \(address)/pair#\(Self.token)\n"))
        #expect(link.base.absoluteString == address)
    }

    @Test(
        "Other texts are not links",
        arguments: [
            "", "pair", "https://kith.example/pair", "https://kith.example/pair#", "https://kith.example/pair#short",
            "https://kith.example/i/\(token)", "ftp://kith.example/pair#\(token)", "https:///pair#\(token)",
            "https://kith.example/pair#\(token)#\(token)", "https://kith.example/pair#\(token)/",
            "https://kith.example/pair#\(token)ä", "javascript:alert(1)/pair#\(token)",
        ])
    func none(text: String) {
        #expect(PairingLink(text) == nil)
    }
}
