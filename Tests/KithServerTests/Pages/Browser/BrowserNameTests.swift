import KithServer
import Testing

@Suite("The name of a browser") struct BrowserNameTests {
    @Test(
        "It is what the browser really is, not what it pretends to be",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Browser (Firefox, Linux)"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0",
                "Browser (Edge, Windows)"
            ),
            (
                "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36",
                "Browser (Chrome, Android)"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1",
                "Browser (Safari, iPhone)"
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1",
                "Browser (Safari, Mac)"
            ),
            ("curl/8.5.0", "Browser"), ("", "Browser"), (nil, "Browser"),
        ])
    func names(agent: String?, name: String) { #expect(BrowserName(userAgent: agent).text(in: .english) == name) }

    @Test("It is in the language of the page")
    func language() {
        let name = BrowserName(userAgent: "Firefox/128.0 Linux")
        #expect(name.text(in: .french) == "Navigateur (Firefox, Linux)")
        #expect(name.text(in: .german) == "Browser (Firefox, Linux)")
    }
}
