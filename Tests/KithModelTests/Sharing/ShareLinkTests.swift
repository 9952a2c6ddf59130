import KithModel
import Testing

@Suite("Links with share codes") struct ShareLinkTests {
    @Test(
        "A link is read in each of its forms",
        arguments: [
            "https://kith.example.com/s/ADA-TEA", "http://127.0.0.1:8480/s/ADA-TEA", "kith://s/ADA-TEA",
            "kith://kith.example.com/s/ADA-TEA?scheme=http", "kith.example.com/s/ada-tea/",
            "HTTPS://kith.example.com/below/s/ADA-TEA?c=email#top", " https://kith.example.com/s/ada%20tea\n",
            "ada tea",
        ])
    func forms(text: String) throws {
        #expect(try ShareCode(link: text) == ShareCode("ADA-TEA"))
    }

    @Test("A link says how it was shared")
    func channel() throws {
        let code = try ShareCode("ADA-TEA")
        let link = ShareLink(code, channel: .email)
        #expect(link.address(server: "https://kith.example.com") == "https://kith.example.com/s/ADA-TEA?c=email")
        #expect(ShareLink(link.address(server: "https://kith.example.com/below/")) == link)
        #expect(ShareLink("https://kith.example.com/s/ADA-TEA?a=b&c=sheet")?.channel == .sheet)
        #expect(ShareLink("https://kith.example.com/s/ADA-TEA?c=../etc")?.channel == nil)
        #expect(ShareLink(code).address(server: "https://kith.example.com") == "https://kith.example.com/s/ADA-TEA")
    }

    @Test(
        "Other texts are no links",
        arguments: [
            "ADA-TEA", "", "/", "https://kith.example.com/", "https://kith.example.com/v1/links/ADATEA",
            "ftp://kith.example.com/s/ADA-TEA", "https://kith.example.com/s/", "https://kith.example.com/s/ä",
            "https://kith.example.com/s/%FF%FE%FD", "javascript://s/ADA-TEA", "://s/ADA-TEA",
            "https://kith.example.com/s/" + String(repeating: "A", count: 100_000),
        ])
    func others(text: String) {
        #expect(ShareLink(text) == nil)
    }

    @Test("A text that is neither a code nor a link is refused")
    func refused() {
        #expect(throws: ShareCode.Fault.self) { try ShareCode(link: "https://kith.example.com/") }
        #expect(throws: ShareCode.Fault.self) { try ShareCode(link: "") }
    }
}
