import Foundation
import KithModel
import KithServer
import Testing

@Suite("kith admin works with the server's own files, or not at all") struct OperatorTests {
    private let folder = Folder()

    private func admin(_ arguments: String..., keys: String) async throws -> Program.Run {
        try await folder.admin(arguments + ["--discovery-key-file", folder.file(keys).path()])
    }

    private func makeDatabase() async throws -> String {
        let database = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        let session = try await SessionService(database: database, signals: .none).open(at: Timestamp(.now))
        return session.account.description
    }

    @Test(
        "Trap: another file of secret keys than the server's makes everybody unfindable – it is refused, and none is made"
    )
    func otherKeys() async throws {
        let account = try await makeDatabase()
        let added = try await admin("identity", "add", "ada@example.com", "--account", account, keys: "keys")
        #expect(added.status == 0, "\(added.complaints)")
        let before = try await admin("discovery", "--json", keys: "keys").output
        for arguments in [
            ["identity", "add", "+436641234567", "--account", account], ["discovery"], ["discovery", "rotate"],
        ] {
            let run = try await folder.admin(
                arguments + ["--discovery-key-file", folder.file("typo").path(), "--json"])
            #expect(run.status == 5)
            #expect(try run.error["code"].text == "otherKeys")
            #expect(try run.error["sentence"].text?.contains("--discovery-key-file") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("typo").path()))
        #expect(try await admin("discovery", "--json", keys: "keys").output == before)
    }

    @Test(
        "Trap: a number is registered in another spelling, in which nobody proves it or looks for it – it is the number itself"
    )
    func spellings() async throws {
        let account = try await makeDatabase()
        let typed = "+4306641234567"
        let added = try await admin("identity", "add", typed, "--account", account, "--json", keys: "keys")
        #expect(added.status == 0, "\(added.complaints)")
        #expect(try added.json["identity"].text == "tel:+436641234567")
        let found = try await admin("identity", "find", typed, "--json", keys: "keys").json
        #expect(found["identity"].text == "tel:+436641234567")

        // An earlier version has stored what was typed. It is found and removed, and the number of the other account stays.
        let other = try await makeDatabase()
        let database = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        let id = try #require(AccountID(other))
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO identity (value, account, created) VALUES (?, ?, 0)", [.text("tel:\(typed)"), .id(id)])
        }
        let old = try await admin("identity", "find", typed, "--json", keys: "keys").json
        #expect(old["account"].text == other)
        let removed = try await admin("identity", "remove", typed, "--json", keys: "keys")
        #expect(removed.status == 0, "\(removed.complaints)")
        #expect(try removed.json["removed"].text == "tel:\(typed)")
        let left = try await admin("identity", "find", typed, "--json", keys: "keys").json
        #expect(left["account"].text == account)
    }

    @Test("An account for whose identity the operator vouches is identified; without it, it is anonymous") func kinds()
        async throws
    {
        let path = folder.file("server.sqlite").path()
        func open() async throws -> NewSession {
            try await SessionService(database: try SQLiteDatabase(path: path), signals: .none).open(at: Timestamp(.now))
        }
        func kind(_ session: NewSession) async throws -> String? {
            let sessions = SessionService(database: try SQLiteDatabase(path: path), signals: .none)
            return try await sessions.verify(session.token)?.kind
        }
        func identity(_ arguments: String...) async throws {
            let run = try await folder.admin(
                ["identity"] + arguments + ["--discovery-key-file", folder.file("keys").path()])
            #expect(run.status == 0, "\(run.complaints)")
        }
        let (first, second) = (try await open(), try await open())
        try await identity("add", "ada@example.com", "--account", first.account.description)
        #expect(try await kind(first) == "identified")
        try await identity("add", "ada@example.com", "--account", second.account.description, "--move")
        #expect(try await kind(first) == "anonymous")
        #expect(try await kind(second) == "identified")
        try await identity("remove", "ada@example.com")
        #expect(try await kind(second) == "anonymous")
    }

    @Test("The outbox says why a message waits") func delay() async throws {
        let database = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        let queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), address: { "https://kith.example" })
        let message = OutgoingMessage(
            id: MessageID(UUID()), channel: .email, recipient: "ada@example.org", kind: .code,
            values: ["code": "123456", "minutes": "10"], canUnsubscribe: false)
        let (now, words) = (Timestamp(.now), "The relay refuses smtp-user or its password: 535 5.7.8 No")
        try await database.write { transaction in
            _ = try queue.add(message, at: now, in: transaction)
            let lease = DeliveryLease(until: now + .seconds(60), random: .system)
            let taken = try #require(try queue.take(.email, lease: lease, at: now, in: transaction))
            _ = try queue.settle(taken, .refusedForNow(words), lease: lease, at: now, in: transaction)
        }
        for arguments in [["outbox"], ["outbox", "show"]] {
            #expect(try await folder.admin(arguments).output.contains("tried again later: \(words)"))
        }
        let shown = try await folder.admin(["outbox", "show", "--json"]).json["message"]
        #expect(shown["state"] == "queued" && shown["reason"].text == nil && shown["detail"].text == words)
    }

    @Test("Somebody who has unsubscribed gets messages again, after they have asked the operator") func resubscribing()
        async throws
    {
        let database = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        let token = try await database.write { transaction in
            let secret = try MessageSecret(in: transaction, random: .system)
            return secret.token(for: secret.hash(of: "ada@example.org", .email), .invitation)
        }
        _ = try await Unsubscribing(database: database).unsubscribe(token, at: Timestamp(.now))
        let arguments = ["outbox", "resubscribe", "Ada@Example.org"]
        let answer = try await folder.admin(arguments + ["--json"]).json
        #expect(answer["recipient"] == "mailto:ada@example.org" && answer["kinds"].elements == ["invitation"])
        #expect(try await !Unsubscribing(database: database).state(of: token).isUnsubscribed)
        #expect(try await folder.admin(arguments).output.contains("ada@example.org has not unsubscribed."))
    }

    @Test("A bounce from a mail server makes its message fail; the exit codes are those that a mail server understands")
    func bounces() async throws {
        let path = folder.file("server.sqlite").path()
        let database = try SQLiteDatabase(path: path)
        let queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), address: { "https://kith.example" })
        let message = OutgoingMessage(
            id: MessageID(UUID()), channel: .email, recipient: "gone@example.org", kind: .code,
            values: ["code": "123456", "minutes": "10"], canUnsubscribe: false)
        let now = Timestamp(.now)
        let taken = try await database.write { transaction in
            _ = try queue.add(message, at: now, in: transaction)
            let lease = DeliveryLease(until: now + .seconds(60), random: .system)
            return try queue.take(.email, lease: lease, at: now, in: transaction)
        }
        let address = try #require(BounceAddress("bounces@kith.example"))
        let sender = address.sender(try #require(taken?.bounceToken))
        let report = """
            To: \(sender)
            Content-Type: multipart/report; boundary=b

            --b
            Content-Type: message/delivery-status

            Action: failed
            Status: 5.1.1
            Diagnostic-Code: smtp; 550 no such user
            --b--
            """
        func bounce(_ arguments: String..., input: String) async throws -> Program.Run {
            try await Program.built.run(["admin", "bounce", "--json"] + arguments, in: folder, input: input)
        }
        let failed = try await bounce("--database", path, input: report)
        #expect(failed.status == 0, "\(failed.complaints)")
        #expect(try failed.json["result"] == "failed" && failed.json["detail"] == "550 no such user")
        let state = try await database.read { try queue.state(of: message.id, in: $0) }
        #expect(state == .failed(MessageFailure(.undelivered, "550 no such user")))
        let again = try await bounce("--database", path, "--recipient", sender, input: report)
        #expect(again.status == 0)
        #expect(try again.json["result"] == "known")
        let other = try await bounce("--database", path, input: "Subject: Hello\n\nHello\n")
        #expect(other.status == 0)
        #expect(try other.json["result"] == "ignored")
        let large = try await bounce("--database", path, input: String(repeating: "x\n", count: 1 << 20))
        #expect(large.status == 0)
        let missing = try await bounce("--database", folder.file("none.sqlite").path(), input: report)
        #expect(missing.status == 75)
        #expect(try missing.error["code"] == "tryAgain")
    }

    @Test(
        "Every command says that it can be tried again if the database cannot be reached",
        arguments: ["outbox", "operator list", "account list", "discovery"])
    func unreachable(command: String) async throws {
        let words = ["admin"] + command.split(separator: " ").map(String.init)
        let run = try await Program.built.run(
            words + ["--json", "--database", "postgres://nobody@127.0.0.1:1/nothing"], in: folder)
        #expect(run.status == 75)
        #expect(try run.error["code"] == "busy")
    }

    @Test(
        "Trap: a damaged database, or one of another version, is no reason to try again – the code is 1",
        arguments: [
            ("INSERT INTO programme VALUES ('tea', 'no JSON', 0, 0, 0)", "damaged"),
            ("UPDATE meta SET value = '1' WHERE name = 'version'", "cannotOpen"),
        ])
    func noReasonToTryAgain(change: String, code: String) async throws {
        let database = try SQLiteDatabase(path: folder.file("server.sqlite").path())
        try await database.write { try $0.execute(change) }
        let run = try await folder.admin("programme", "list", "--json")
        #expect(run.status == 1)
        #expect(try run.error["code"].text == code)
    }

    @Test("accounts are listed, the newest first, and found by their numbers and emails") func accounts() async throws {
        let first = try await makeDatabase()
        let second = try await makeDatabase()
        #expect(
            try await admin("identity", "add", "ada@example.com", "--account", first, keys: "keys").status == 0)
        let all = try await admin("account", "list", "--json", keys: "keys").json
        #expect(all["accounts"].elements.map { $0["account"].text } == [second, first])
        #expect(all["accounts"].elements.map { $0["identities"] } == [0, 1] && all["more"] == false)
        #expect(try await admin("account", "list", "--limit", "1", keys: "keys").output.contains("There are more"))
        let found = try await admin("identity", "find", "Ada@example.com", "--json", keys: "keys").json
        #expect(found["account"].text == first)
        #expect(try await admin("identity", "find", "ben@example.com", keys: "keys").status == 6)
        let unknown = try await admin("identity", "list", "--account", UUID().uuidString, keys: "keys")
        #expect(unknown.status == 6 && unknown.complaints.contains("There is no such account."))
        let resumed = try await admin("discovery", "rotate", "--resume", keys: "keys")
        #expect(resumed.output.hasPrefix("No new key is in preparation"))
    }
}
