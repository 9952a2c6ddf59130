import Foundation
import Kith
import KithModel
import Testing

@Suite("A link that opens the app") struct KithLinkTests {
    private func link(_ text: String) throws -> KithLink? { KithLink(try #require(URL(string: text))) }

    @Test(
        "Both forms of a link have the same meaning",
        arguments: [
            ("kith://kith.example/v1/links/abc-DEF_1", "https://kith.example/v1/links/abc-DEF_1"),
            ("KITH://kith.example/v1/links/abc-DEF_1", "https://kith.example/v1/links/abc-DEF_1"),
            ("kith://kith.example:8443/x/v1/public/a", "https://kith.example:8443/x/v1/public/a"),
            ("kith://kith.example/v1/invitations/a-b", "https://kith.example/v1/invitations/a-b"),
            ("kith://127.0.0.1:8480/v1/links/a?scheme=http", "http://127.0.0.1:8480/v1/links/a"),
            ("kith://[::1]:8480/v1/links/a?scheme=http", "http://[::1]:8480/v1/links/a"),
        ])
    func forms(opened: String, web: String) throws {
        let (app, page) = (try #require(try link(opened)), try #require(try link(web)))
        #expect(app == page && app.text == web)
        let kind: KithLink.Kind =
            web.contains("/public/") ? .publicList : web.contains("/invitations/") ? .invitation : .list
        #expect(app.kind == kind)
        #expect(web.hasPrefix(app.server.absoluteString + "/v1/"))
        #expect(LinkAddress(opened) == LinkAddress(web) && LinkAddress(opened).base == app.server)
    }

    @Test("The QR code of another device is a link too, and keeps its token, which is the fragment")
    func pairing() throws {
        let token = String(repeating: "aB3-_", count: 9)
        for opened in ["https://kith.example/pair#\(token)", "kith://kith.example/pair#\(token)"] {
            let link = try #require(try link(opened))
            #expect(link.kind == .pairing && link.server.absoluteString == "https://kith.example")
            #expect(link.text == "https://kith.example/pair#\(token)")
        }
        #expect(try link("https://kith.example/pair") == nil)
        #expect(try link("https://kith.example/pair#short") == nil)
    }

    @Test(
        "The link of a share code is a link too, and keeps the channel by which it was shared",
        arguments: [
            ("https://kith.example/s/ADA-TEA", "https://kith.example/s/ADA-TEA"),
            ("kith://kith.example/s/ada-tea?c=email", "https://kith.example/s/ADA-TEA?c=email"),
            ("kith://127.0.0.1:8480/s/ADA-TEA?scheme=http", "http://127.0.0.1:8480/s/ADA-TEA"),
            ("https://kith.example/x/s/ADA-TEA/?c=scan#y", "https://kith.example/x/s/ADA-TEA?c=scan"),
        ])
    func share(opened: String, web: String) throws {
        let link = try #require(try link(opened))
        #expect(link.kind == .share && link.text == web)
        #expect(web.hasPrefix(link.server.absoluteString + "/s/"))
        #expect(try ShareCode(link: link.text).text == "ADA-TEA")
    }

    @Test("A query and a fragment do not belong to the link") func query() throws {
        #expect(try link("https://kith.example/v1/links/abc?from=mail#x")?.text == "https://kith.example/v1/links/abc")
    }

    @Test(
        "Other URLs are not links",
        arguments: [
            "https://kith.example/", "https://kith.example/v1/sessions", "https://kith.example/v1/lists/abc",
            "https://kith.example/v1/links/", "https://kith.example/v1/links/a%2Fb", "https://kith.example/links/abc",
            "https://kith.example/v1/links/abc/accept", "ftp://kith.example/v1/links/abc", "kith:/v1/links/abc",
            "kith:///v1/links/abc", "mailto:ada@example.com", "groceries://v1/links/abc", "/v1/links/abc",
            "https://kith.example/s/", "https://kith.example/s/ab", "kith://s/ADA-TEA",
            "groceries://kith.example/s/ADA-TEA", "https://kith.example/s/ADA-TEA/x", "https:///s/ADA-TEA",
            "https://kith.example/v1/links/" + String(repeating: "a", count: 129),
        ])
    func others(text: String) throws {
        #expect(try link(text) == nil)
    }
}
