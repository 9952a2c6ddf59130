import Foundation
import KithModel
import KithServer
import Testing

/// Signing in by phone over the real server, whose SMS go to a provider in the test's process.
@Suite("Signing in with a phone number, over HTTP") struct PhoneServerTests {
    private let folder = Folder()

    private func configuration(_ url: String) throws -> ServerConfiguration {
        let secret = folder.url.appending(path: "secret")
        try Data((SMSDouble.secret + "\n").utf8).write(to: secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
        var configuration = ServerConfiguration.patient
        configuration.database = folder.database
        configuration.publicURL = "https://kith.example"
        configuration.messages.smsURL = url
        configuration.messages.smsAccount = SMSDouble.account
        configuration.messages.smsSecretFile = secret.path
        configuration.messages.smsSender = "Kith"
        configuration.phone.countries = [TestPlan.austria]
        configuration.phone.numberingPlan = TestPlan()
        return configuration
    }

    /// The code that the provider has received for a number.
    private func code(_ double: SMSDouble, _ index: Int) async throws -> String {
        while double.received.count <= index {
            try Task.checkCancellation()
            await Task.yield()
        }
        let text = try #require(double.received[index].form["Body"])
        return try #require(text.firstMatch(of: #/\b\d{6}\b/#).map { String($0.0) })
    }

    @Test(
        "The provider gets one SMS, signed with the account's secret; its code signs in, also on a second device",
        .timeLimit(.minutes(15)))
    func signIn() async throws {
        let double = SMSDouble()
        try await double.serving { [self] url in
            let clock = HandClock()
            let server = try await KithServer.open(try configuration(url), clock: clock.server)
            try await server.serving { address in
                let server = TestServer(url: address, clock: clock)
                let countries: CountryList = try await server.ask("GET", "/v1/countries").decoded()
                #expect(countries.countries.map(\.callingCode) == [43])
                let (phone, tablet) = (try await server.newSession(), try await server.newSession())

                let request = CodeRequest(
                    id: CodeID(UUID()), number: "0664 1234567", in: TestPlan.austria, languages: ["de-AT"],
                    device: "Adas Handy")
                let first = try await server.ask("POST", "/v1/codes", token: phone.token, json: request)
                #expect(first.status == 202)
                let repeated = try await server.ask("POST", "/v1/codes", token: phone.token, json: request)
                #expect(repeated.status == 202)
                let sent: SentCode = try first.decoded()
                #expect(sent.identity?.text == "tel:+436641234567")
                let digits = try await code(double, 0)
                let proved: ProvedIdentity = try await server.ask(
                    "POST", "/v1/codes/\(sent.id)/check", token: phone.token, json: CodeCheck(code: digits)
                ).decoded()
                #expect(proved.account == phone.account && proved.token == nil)

                clock.advance(.seconds(60))
                let again = CodeRequest(id: CodeID(UUID()), identity: try #require(sent.identity))
                let second = try await server.ask("POST", "/v1/codes", token: tablet.token, json: again)
                #expect(second.status == 202)
                let other: ProvedIdentity = try await server.ask(
                    "POST", "/v1/codes/\(again.id)/check", token: tablet.token,
                    json: CodeCheck(code: try await code(double, 1))
                ).decoded()
                #expect(other.account == phone.account)
                let token = try #require(other.token)
                let identities: OwnIdentityList = try await server.ask("GET", "/v1/identities", token: token).decoded()
                #expect(identities.identities.map(\.identity) == [sent.identity])
                let removed = try await server.ask(
                    "DELETE", "/v1/identities/tel%3A%2B436641234567?last=remove", token: token)
                #expect(removed.status == 204)
            }
        }
        let received = double.received
        #expect(received.map { $0.form["To"] } == ["+436641234567", "+436641234567"])
        #expect(received[0].form["From"] == "Kith" && Set(received.map(\.key)).count == 2)
        let text = try #require(received[0].form["Body"])
        #expect(text.contains("auf Adas Handy") && text.contains("Gib ihn nirgendwo anders ein"))
        #expect(
            received[0].form["StatusCallback"]?.hasPrefix("https://kith.example/v1/messages/status?message=") == true)
    }

    @Test("A server without countries says which setting is missing, and lists none") func off() async throws {
        let configuration = try configuration("http://127.0.0.1:1")
        for (setting, change) in Self.incomplete {
            var incomplete = configuration
            change(&incomplete)
            try await TestServer.run({ $0 = incomplete }) { server in
                let session = try await server.newSession()
                let request = CodeRequest(id: CodeID(UUID()), identity: try #require(Identity("tel:+436641234567")))
                let reply = try await server.ask("POST", "/v1/codes", token: session.token, json: request)
                #expect(reply.status == 403)
                let problem: Problem = try reply.decoded()
                #expect(problem.code == .forbidden && problem.detail.contains(setting), "\(problem.detail)")
                let countries: CountryList = try await server.ask("GET", "/v1/countries").decoded()
                #expect(countries.countries.isEmpty)
            }
        }
    }

    private static let incomplete: [(String, @Sendable (inout ServerConfiguration) -> Void)] = [
        ("sms-countries", { $0.phone.countries = [] }),
        (
            "sms-url",
            {
                $0.phone.countries = []
                $0.messages = MessageSettings()
            }
        ),
    ]
}
