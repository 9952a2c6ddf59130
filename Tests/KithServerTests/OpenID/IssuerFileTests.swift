import Foundation
import KithServer
import Testing

@Suite("The file of issuers") struct IssuerFileTests {
    private let folder = Folder()

    private func read(_ text: String) throws -> [IssuerSettings] {
        let file = folder.url.appending(path: "issuers.json")
        try Data(text.utf8).write(to: file)
        return try IssuerFile.read(file.path)
    }

    @Test("Has settings with defaults; emails are not vouched for") func defaults() throws {
        let issuers = try read(
            """
            [{"name":"google","url":"https://accounts.google.com","client-id":"kith"},
             {"name":"own-2","display-name":"Own","url":"http://127.0.0.1:9400","client-id":"k","scopes":["email"],
              "vouches-for-emails":true,"redirects":["app.example:/in"],"loopback":false}]
            """)
        #expect(issuers.map(\.name) == ["google", "own-2"] && issuers.map(\.displayName) == ["google", "Own"])
        #expect(issuers[0].scopes == ["openid", "email"] && issuers[1].scopes == ["openid", "email"])
        #expect(issuers.map(\.vouchesForEmails) == [false, true] && issuers.map(\.allowsLoopback) == [true, false])
        #expect(issuers[1].redirects == ["app.example:/in"] && issuers[0].clientSecret == nil)
    }

    @Test(
        "Says what to correct",
        arguments: [
            ("{}", "not a JSON array"), ("[{}]", "“name” is missing"),
            (#"[{"name":"a","name":"b","url":"https://a.example","client-id":"k"}]"#, "not a JSON array"),
            (#"[{"name":"A","url":"https://a.example","client-id":"k"}]"#, "the name “A”"),
            (#"[{"name":"a","url":"http://a.example","client-id":"k"}]"#, "begins with https://"),
            (#"[{"name":"a","url":"https://a.example","client-id":"k","secret":"x"}]"#, "the unknown key “secret”"),
            (#"[{"name":"a","url":"https://a.example","client-id":"k","client-secret-file":"/nowhere"}]"#, "/nowhere"),
        ])
    func wrong(text: String, part: String) throws {
        do {
            _ = try read(text)
            Issue.record("It is accepted.")
        } catch let error as ServerError {
            #expect(error.sentence.contains(part), "\(error.sentence)")
        }
    }

    @Test("A missing file is named at the start of the server") func missing() async throws {
        var configuration = ServerConfiguration()
        configuration.database = folder.url.appending(path: "server.sqlite").path
        configuration.issuersFile = "/nowhere/issuers.json"
        let error = await #expect(throws: ServerError.self) { try await KithServer.open(configuration) }
        #expect(error?.sentence.contains("/nowhere/issuers.json") == true)
    }
}
