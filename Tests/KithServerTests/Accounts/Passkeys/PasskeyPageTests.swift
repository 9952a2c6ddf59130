import Foundation
import KithModel
import KithServer
import Testing

@Suite("The page for passkeys") struct PasskeyPageTests {
    private func page(_ language: PageLanguage) throws -> String {
        let renderer = try PageRenderer(service: "<Kith & Co>")
        return String(decoding: renderer.render(PasskeyPage.page, in: language), as: UTF8.self)
    }

    @Test("Has one script and one style, which are files of the server, and nothing inline") func files() throws {
        let page = try page(.german)
        #expect(page.contains("<html lang=\"de\">") && page.contains("&lt;Kith &amp; Co"))
        #expect(page.matches(of: /<script/).count == 1 && page.contains(#"<script src="passkey.js" defer></script>"#))
        #expect(page.matches(of: /<link rel="stylesheet"/).count == 1)
        #expect(page.firstMatch(of: /<style| style=| on[a-z]+=/) == nil)
    }

    @Test("Has every element that the script looks for", arguments: PageLanguage.allCases)
    func elements(language: PageLanguage) throws {
        let (page, script) = (try page(language), String(decoding: PasskeyPage.script, as: UTF8.self))
        let ids = script.matches(of: /(?:element|show|hide)\("([a-z-]+)"\)/).map(\.output.1)
        #expect(ids.count > 5)
        for id in ids { #expect(page.contains("id=\"\(id)\""), "\(id)") }
        for match in script.matches(of: /querySelectorAll\("\.([a-z-]+)"\)/) {
            #expect(page.contains("class=\"\(match.output.1)\""), "\(match.output.1)")
        }
    }

    @Test(
        "Trap: the page shows the server's English sentence – it has a text for each problem, in its language",
        arguments: PageLanguage.allCases)
    func problems(language: PageLanguage) throws {
        let (page, script) = (try page(language), String(decoding: PasskeyPage.script, as: UTF8.self))
        #expect(!script.contains("detail") && script.contains("texts[error.message] ?? texts.other"))
        // In the script, `data-not-found` is `notFound`, the code of the problem.
        for (name, text) in [
            ("not-found", "passkey.over"), ("passkey-refused", "signin.refused"), ("too-many", "passkey.full"),
            ("forbidden", "passkey.off"), ("too-fast", "problem.tooFastText"), ("busy", "problem.busyText"),
            ("other", "problem.failedText"), ("offline", "layout.offline"), ("cancelled", "passkey.cancelled"),
        ] { #expect(page.contains("data-\(name)=\"\(PageTexts.of(language).text(text))\""), "\(name)") }
    }

    @Test("Trap: a reader does not speak a region that appears with its text – both are there before, and empty")
    func regions() throws {
        let page = try page(.english)
        for (id, role) in [("status", "status"), ("failed", "alert")] {
            let match = try #require(page.firstMatch(of: try Regex("<p[^>]* id=\"\(id)\"[^>]*></p>")))
            let region = page[match.range]
            #expect(region.contains("role=\"\(role)\"") && !region.contains("hidden"), "\(id)")
        }
        let script = String(decoding: PasskeyPage.script, as: UTF8.self)
        #expect(!script.contains(".disabled"), "A button that is disabled loses the focus.")
    }

    @Test("The server sends the page and its files with a policy that permits nothing else") func policy() async throws
    {
        try await TestServer.run { server in
            for (path, type) in [
                ("passkey", "text/html"), ("passkey.js", "text/javascript"),
            ] {
                let reply = try await server.ask("GET", "/\(path)")
                #expect(reply.status == 200 && !reply.body.isEmpty)
                #expect(reply.head["content-type"] == "\(type); charset=utf-8")
                let policy = try #require(reply.head["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"))
                #expect(reply.head["referrer-policy"] == "no-referrer")
            }
        }
    }
}
