import HTTPTypes
import KithServer
import Testing

@Suite("What is a visit") struct VisitFilterTests {
    private static let chrome: String =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
    private static let navigation: [String: String] = [
        "User-Agent": chrome, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none",
    ]

    private func isVisit(_ headers: [String: String], _ method: HTTPRequest.Method = .get) throws -> Bool {
        var fields = HTTPFields()
        for (name, value) in headers {
            let field = try #require(HTTPField.Name(name))
            fields[field] = value
        }
        return VisitFilter.isVisit(method, fields)
    }

    @Test("A browser that opens the page is one, and so is an old one that does not say what it does") func people()
        throws
    {
        #expect(try isVisit(Self.navigation))
        #expect(try isVisit(["User-Agent": Self.chrome]))
        #expect(try isVisit(["User-Agent": "Opera/9.80 (Android; Opera Mini/7.5) Presto/2.12"]))
    }

    @Test("A request that does not show the page is none", arguments: [HTTPRequest.Method.head, .post, .options])
    func methods(method: HTTPRequest.Method) throws {
        #expect(try !isVisit(Self.navigation, method))
    }

    @Test(
        "A page that is loaded ahead of time is not visited",
        arguments: [
            ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"), ("Purpose", "Prefetch"),
            ("X-Purpose", "preview"), ("X-Moz", "prefetch"),
        ])
    func ahead(name: String, value: String) throws {
        #expect(try !isVisit(Self.navigation.merging([name: value]) { $1 }))
    }

    @Test(
        "A page that is not loaded into a window is not visited",
        arguments: [
            ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Mode", ""),
            ("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Dest", "image"), ("Sec-Fetch-Dest", "empty"),
        ])
    func elsewhere(name: String, value: String) throws {
        #expect(try !isVisit(Self.navigation.merging([name: value]) { $1 }))
    }

    private static let programs: [String] = [
        "", "curl/8.14.1", "WhatsApp/2.23.20.0 A", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
        "TelegramBot (like TwitterBot)", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        "python-requests/2.32",
        // The previews of Apple's messages.
        "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
        "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Chrome/142.0 Mobile (compatible; Googlebot/2.1; +http://a.b)",
        "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0 Safari/537.36",
        "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Chrome/142.0 Mobile Safari/537.36 (compatible; GoogleOther)",
        "Mozilla/5.0 zgrab/0.x",
    ]

    @Test("Link previews and bots are none", arguments: Self.programs)
    func robots(agent: String) throws {
        #expect(try !isVisit(Self.navigation.merging(["User-Agent": agent]) { $1 }))
    }

    @Test("A telephone by Cubot is not a bot, and neither is Internet Explorer or the browser in an app")
    func telephones() throws {
        let cubot = "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36"
        let explorer = "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)"
        let app = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 [FBAN/FBIOS;FBAV/440.0]"
        for agent in [cubot, explorer, app] {
            #expect(try isVisit(Self.navigation.merging(["User-Agent": agent]) { $1 }))
        }
        #expect(try !isVisit(["User-Agent": cubot + " Linkbot"]))
    }

    @Test("A user agent of any length is read") func long() throws {
        #expect(try isVisit(["User-Agent": Self.chrome + String(repeating: " x", count: 50_000)]))
    }
}
