import Foundation
import KithModel
import KithServer
import Testing

@Suite("The page for passkeys") struct PasskeyPageTests {
    @Test("Has one script and one style, which are files of the server, and nothing inline") func files() throws {
        let page = try #require(String(bytes: PasskeyPage.page("<Kith & Co>", accepted: "de-AT,en"), encoding: .utf8))
        #expect(page.contains("<html lang=\"de\">") && page.contains("<h1>&lt;Kith &amp; Co></h1>"))
        #expect(page.matches(of: /<script/).count == 1 && page.contains(#"<script src="passkey.js" defer></script>"#))
        #expect(page.matches(of: /<link/).count == 1 && page.contains(#"<link rel="stylesheet" href="passkey.css">"#))
        #expect(page.firstMatch(of: /<style| style=| on[a-z]+=/) == nil)
    }

    @Test("Every language has its own words", arguments: ["en", "de", "fr", "es"]) func languages(language: String)
        throws
    {
        let page = try #require(String(bytes: PasskeyPage.page("Kith", accepted: language), encoding: .utf8))
        #expect(page.contains("<html lang=\"\(language)\">"))
    }

    @Test("The server sends the page and its files with a policy that permits nothing else") func policy() async throws
    {
        try await TestServer.run { server in
            for (path, type) in [
                ("passkey", "text/html"), ("passkey.js", "text/javascript"), ("passkey.css", "text/css"),
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
