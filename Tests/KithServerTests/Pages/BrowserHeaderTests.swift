import HTTPTypes
import KithServer
import Testing

@Suite("The headers of a browser") struct BrowserHeaderTests {
    @Test(
        "A client gets a page only if it names HTML, and does not prefer JSON",
        arguments: [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true), ("text/html", true),
            ("TEXT/HTML; charset=utf-8", true), ("application/json, text/html", true),
            ("application/json, text/html;q=0.9", false), ("text/html;q=0", false), ("text/html;q=x", false),
            ("*/*", false), ("text/*", false), ("", false), ("application/json", false), (nil, false),
        ])
    func types(header: String?, isHTML: Bool) { #expect(AcceptedTypes(header).prefersHTML == isHTML) }

    @Test(
        "The language is the one with the highest weight that the pages have",
        arguments: [
            ("de-AT,en;q=0.5", "de"), ("it, fr", "fr"), ("", "en"), (nil, "en"), ("en;q=0.4, es;q=0.9, fr;q=0.8", "es"),
            ("fr;q=0, de;q=0.1", "de"), ("pt-BR,pt", "en"), ("*", "en"), ("DE_ch", "de"), (";;,,q=1,-", "en"),
        ])
    func languages(header: String?, language: String) {
        #expect(PageLanguage(accepted: header).rawValue == language)
    }

    @Test("The fallback is the operator's language, and the tags for messages are in the order of their weights")
    func tags() {
        #expect(PageLanguage(accepted: "it", fallback: .german) == .german)
        #expect(PageLanguage.tags(accepted: "en;q=0.4, es;q=0.9, de-AT, x y, fr;q=0") == ["de-AT", "es", "en"])
    }

    @Test(
        "A form from another website is recognised, with the headers of each browser",
        arguments: [
            Case("same-origin", "null", .here), Case("none", nil, .here), Case("cross-site", "null", .elsewhere),
            Case("same-site", "https://kith.example", .elsewhere), Case(nil, "https://kith.example", .here),
            Case(nil, "https://KITH.example", .here), Case(nil, "http://127.0.0.1:8480", .here),
            Case(nil, "https://evil.example", .elsewhere), Case(nil, "https://kith.example.evil.example", .elsewhere),
            Case(nil, "https://kith.example:8443", .elsewhere), Case(nil, "kith.example", .elsewhere),
            Case(nil, "null", .unknown), Case(nil, nil, .unknown),
        ])
    func sources(example: Case) {
        var headers: HTTPFields = [:]
        if let site = example.site { headers[HTTPField.Name("Sec-Fetch-Site")!] = site }  // The name is valid.
        if let origin = example.origin { headers[.origin] = origin }
        let source = FormSource(headers, authority: "127.0.0.1:8480", publicURL: "https://kith.example")
        #expect(source == example.source)
    }

    @Test("A page of another website that opens a page gets no hold of its window, whatever the page is about")
    func openers() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let paths = ["/sign-in", "/pair", "/passkey", "/s/NOBODY", "/admin/sign-in", "/v1/links/none", "/nothing"]
            for path in paths {
                let page = try await browser.open(path)
                #expect(page.head["content-type"]?.hasPrefix("text/html") == true, "\(path)")
                #expect(page.head["cross-origin-opener-policy"] == "same-origin", "\(path)")
            }
            try await browser.signIn("ada@example.com")
            for path in ["/account", "/account/delete"] {
                #expect(try await browser.open(path).head["cross-origin-opener-policy"] == "same-origin", "\(path)")
            }
        }
    }

    /// The headers of a form, and where it comes from.
    struct Case: Sendable {
        let site, origin: String?
        let source: FormSource

        init(_ site: String?, _ origin: String?, _ source: FormSource) {
            (self.site, self.origin, self.source) = (site, origin, source)
        }
    }
}
