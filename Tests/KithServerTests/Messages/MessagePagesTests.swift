import Foundation
import KithModel
import KithServer
import Testing

@Suite("The pages for recipients of messages, and the reports of the SMS provider") struct MessagePagesTests {
    private let folder = Folder()

    /// The path of the link to unsubscribe in an invitation to Ada.
    private func link(_ world: MessageWorld) async throws -> String {
        try await world.add(.invitation())
        try await world.lane().run()
        let link = try #require(world.gateway.received.last?.unsubscribe)
        try #require(link.hasPrefix("https://kith.example/unsubscribe/"))
        return String(link.dropFirst("https://kith.example".count))
    }

    @Test("Opening the link shows a button and changes nothing; pressing it keeps invitations away, but not codes")
    func unsubscribing() async throws {
        let world = try MessageWorld()
        let path = try await link(world)
        try await TestServer.run(database: world.database) { server in
            for _ in 1...2 {
                let page = try await server.ask("GET", path)
                #expect(page.status == 200 && page.head["content-type"] == "text/html; charset=utf-8")
                #expect(page.head["content-security-policy"]?.contains("default-src 'none'") == true)
                let text = String(decoding: page.body, as: UTF8.self)
                #expect(text.contains("<form method=\"post\">\n<button") && !text.contains("<script"))
            }
            #expect(try await server.ask("HEAD", path).status == 200)
            #expect(try await world.add(.invitation(2)) == .queued)
            let done = try await server.ask("POST", path, body: Data())
            #expect(done.status == 200 && String(decoding: done.body, as: UTF8.self).contains("no more invitations"))
        }
        #expect(try await world.add(.invitation(3)) == .failed(MessageFailure(.optedOut)))
        #expect(try await world.add(.invitation(4, to: "Ada@Example.com")) == .failed(MessageFailure(.optedOut)))
        #expect(try await world.add(.invitation(5, to: "ben@example.com")) == .queued)
        #expect(try await world.add(.code(6)) == .queued)
        var joined = OutgoingMessage.invitation(7)
        (joined.kind, joined.values) = (.joined, ["person": "Ben"])
        #expect(try await world.add(joined) == .queued)
    }

    @Test("Whoever has unsubscribed takes it back on the same page, which can be opened and sent as often as they like")
    func takingBack() async throws {
        let world = try MessageWorld()
        let path = try await link(world)
        try await TestServer.run(database: world.database) { (server) async throws in
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            func send(_ body: String) async throws -> String {
                let reply = try await server.ask("POST", path, headers: form, body: Data(body.utf8))
                #expect(reply.status == 200)
                return String(decoding: reply.body, as: UTF8.self)
            }
            let (again, field) = ("I want these messages again", "name=\"again\" value=\"yes\"")
            let done = try await send("")
            #expect(done.contains("no more invitations") && done.contains(again) && done.contains(field))
            // The link in the message leads back to that page, and opening it changes nothing.
            for _ in 1...2 {
                let page = String(decoding: try await server.ask("GET", path).body, as: UTF8.self)
                #expect(page.contains("no more invitations") && page.contains(again))
            }
            #expect(try await world.add(.invitation(2)) == .failed(MessageFailure(.optedOut)))
            for _ in 1...2 {
                let back = try await send("again=yes")
                #expect(back.contains("You will receive these messages at this address again."))
                #expect(back.contains("No more invitations</button>") && !back.contains(field))
            }
            #expect(try await world.add(.invitation(3)) == .queued)
            let page = String(decoding: try await server.ask("GET", path).body, as: UTF8.self)
            #expect(page.contains("Do you want to stop invitations"))
            // Only the button of the page takes it back.
            for body in ["again=no", "again", "%FF", "List-Unsubscribe=One-Click"] { _ = try await send(body) }
        }
        #expect(try await world.add(.invitation(4)) == .failed(MessageFailure(.optedOut)))
    }

    @Test("The operator lets somebody have all messages again who has asked for it, and nobody else")
    func operatorTakesBack() async throws {
        let world = try MessageWorld()
        let ada = try #require(Identity("mailto:ada@example.com"))
        func resubscribe() async throws -> [String] {
            try await world.database.write { try Unsubscribing.resubscribe(ada, in: $0) }
        }
        // No message was ever sent.
        #expect(try await resubscribe() == [])
        _ = try await world.add(.invitation())
        let unsubscribing = Unsubscribing(database: world.database)
        let tokens = try await world.database.read { transaction in
            let secret = try #require(try MessageSecret(existing: transaction))
            return ["ada@example.com", "ben@example.com"].flatMap { address in
                [MessageKind.share, .invitation].map { secret.token(for: secret.hash(of: address, .email), $0) }
            }
        }
        for token in tokens { _ = try await unsubscribing.unsubscribe(token, at: world.now) }
        #expect(try await resubscribe() == ["invitation", "share"])
        #expect(try await resubscribe() == [])
        #expect(try await world.add(.invitation(2)) == .queued)
        #expect(try await world.add(.invitation(3, to: "ben@example.com")) == .failed(MessageFailure(.optedOut)))
    }

    @Test("One click of a mail program unsubscribes, without cookies or a token, as often as it comes")
    func oneClick() async throws {
        let world = try MessageWorld()
        let path = try await link(world)
        try await TestServer.run(database: world.database) { server in
            for _ in 1...2 {
                let reply = try await server.ask(
                    "POST", path, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Data("List-Unsubscribe=One-Click".utf8))
                #expect(reply.status == 200)
            }
        }
        #expect(try await world.add(.invitation(2)) == .failed(MessageFailure(.optedOut)))
    }

    @Test(
        "A page is in the language of the browser", arguments: [("de-AT,en;q=0.5", "de"), ("it, fr", "fr"), ("", "en")])
    func languages(accepted: String, language: String) async throws {
        let world = try MessageWorld()
        let path = try await link(world)
        try await TestServer.run({ $0.messages.serviceName = "A<b> & Co" }, database: world.database) { server in
            let page = try await server.ask("GET", path, headers: ["Accept-Language": accepted])
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains("<html lang=\"\(language)\">") && text.contains("</svg>A&lt;b&gt; &amp; Co</p>"))
        }
    }

    @Test("A changed or invented link is not found")
    func invented() async throws {
        let world = try MessageWorld()
        let path = try await link(world)
        let token = path.split(separator: "/").last.map(String.init) ?? ""
        let bytes = try #require(Data(base64URL: token))
        let changed = [0, 15, 16, 31].map { index in
            var other = bytes
            other[index] ^= 1
            return other.base64URL
        }
        try await TestServer.run(database: world.database) { server in
            for other in changed + ["a", token + "A", String(token.dropLast(2))] {
                let shown = try await server.ask("GET", "/unsubscribe/\(other)")
                let done = try await server.ask("POST", "/unsubscribe/\(other)", body: Data())
                #expect(shown.status == 404 && done.status == 404)
            }
        }
        try await TestServer.run { server in
            let shown = try await server.ask("GET", path)
            #expect(shown.status == 404)
        }
        #expect(try await world.add(.invitation(2)) == .queued)
    }

    // MARK: Reports

    private static let values = [("MessageSid", "SM1"), ("MessageStatus", "undelivered"), ("ErrorCode", "30005")]

    private func sign(_ fields: [(name: String, value: String)], at url: String, secret: String) -> String {
        let signed = url + fields.sorted { $0.name < $1.name }.map { $0.name + $0.value }.joined()
        return SHA1.hmac(Data(signed.utf8), key: Data(secret.utf8)).base64EncodedString()
    }

    @Test("The signature is the one that the provider’s documentation shows")
    func documentedSignature() {
        let form = FormFields([
            ("CallSid", "CA1234567890ABCDE"), ("Caller", "+12349013030"), ("Digits", "1234"), ("From", "+12349013030"),
            ("To", "+18005551212"),
        ])
        let url = "https://mycompany.com/myapp.php?foo=1&bar=2"
        #expect(SMSProvider.isSigned(form, at: url, by: "0/KCTR6DLpKmkAf8muzZqo1nDgQ=", secret: "12345"))
        #expect(!SMSProvider.isSigned(form, at: url + "3", by: "0/KCTR6DLpKmkAf8muzZqo1nDgQ=", secret: "12345"))
    }

    @Test("A signed report marks the message as failed with the reason; a wrongly signed report changes nothing")
    func reports() async throws {
        let world = try MessageWorld()
        var sms = OutgoingMessage.code(to: "+436641234567")
        sms.channel = .sms
        try await world.add(sms)
        try await world.lane(.sms).run()
        let secret = folder.url.appending(path: "secret")
        try Data((SMSDouble.secret + "\n").utf8).write(to: secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
        let path = "/v1/messages/status?message=\(sms.id)"
        let change = { (configuration: inout ServerConfiguration) in
            configuration.publicURL = "https://kith.example"
            configuration.messages.smsURL = "http://127.0.0.1:1"
            configuration.messages.smsAccount = SMSDouble.account
            configuration.messages.smsSecretFile = secret.path
            configuration.messages.smsSender = "Kith"
        }
        try await TestServer.run(change, database: world.database) { (server) async throws in
            func report(_ fields: [(name: String, value: String)], signature: String?) async throws -> Int {
                var headers = ["Content-Type": "application/x-www-form-urlencoded"]
                headers["X-Twilio-Signature"] = signature
                return try await server.ask("POST", path, headers: headers, body: FormFields(fields).encoded).status
            }
            let fields = Self.values.map { (name: $0.0, value: $0.1) }
            let url = "https://kith.example\(path)"
            let right = sign(fields, at: url, secret: SMSDouble.secret)
            let wrong: [String?] = [
                nil, "", "?", sign(fields, at: url, secret: "another"),
                sign(fields, at: "https://kith.example/v1/messages/status", secret: SMSDouble.secret),
            ]
            for signature in wrong { #expect(try await report(fields, signature: signature) == 403) }
            #expect(try await report(fields + [("Extra", "1")], signature: right) == 403)
            #expect(try await world.state(of: sms) == .sent)
            let delivered = [(name: "MessageStatus", value: "delivered")]
            let signature = sign(delivered, at: url, secret: SMSDouble.secret)
            #expect(try await report(delivered, signature: signature) == 204)
            #expect(try await world.state(of: sms) == .sent)
            for _ in 1...2 { #expect(try await report(fields, signature: right) == 204) }
            let failure = MessageFailure(.undelivered, "undelivered 30005")
            #expect(try await world.state(of: sms) == .failed(failure))
        }
    }

    @Test("A server without an SMS provider refuses reports")
    func noProvider() async throws {
        try await TestServer.run { server in
            let path = "/v1/messages/status?message=\(MessageID.numbered(1))"
            let reply = try await server.ask("POST", path, headers: ["X-Twilio-Signature": "AAAA"], body: Data())
            let other = try await server.ask("POST", "/v1/messages/status", body: Data())
            #expect(reply.status == 403 && other.status == 400)
        }
    }
}
