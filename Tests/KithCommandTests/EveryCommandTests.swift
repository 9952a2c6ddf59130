import Foundation
import KithCommand
import KithModel
import KithServer
import Processes
import Testing

/// Runs every command of the tree with `--json`, as a story of two people and an operator.
@Suite("Every command and --json") struct EveryCommandTests {
    private let folder = Folder()

    /// The commands that were run so far, and what each must print.
    private final class Story {
        let folder: Folder
        let server: ServerProcess
        let ada: Device
        let grace: Device
        var told: Set<String> = []
        /// What each command printed last, when it succeeded.
        var answers: [String: JSON] = [:]

        init(_ folder: Folder, _ server: ServerProcess) {
            (self.folder, self.server) = (folder, server)
            ada = Device(folder, "ada", server: server.url)
            grace = Device(folder, "grace", server: server.url)
        }

        /// Runs a command that must print one line of JSON and succeed, or fail with `status`.
        @discardableResult
        func tell(_ device: Device, _ command: String, _ arguments: String..., status: Int32 = 0) async throws -> JSON {
            told.insert(command)
            let answer = try await line(words(command) + arguments + device.options, status)
            if status == 0 { answers[command] = answer }
            return answer
        }

        /// The same for a command on the server's files.
        @discardableResult
        func operate(_ command: String, _ arguments: String...) async throws -> JSON {
            told.insert("admin " + command)
            return try await line(
                ["admin"] + words(command) + arguments + ["--database", folder.file("server.sqlite").path()], 0)
        }

        /// The same for a command that needs no files, or names them itself.
        @discardableResult
        func show(_ command: String, _ arguments: String..., status: Int32 = 0) async throws -> JSON {
            told.insert(command)
            return try await line(words(command) + arguments, status)
        }

        private func line(_ words: [String], _ status: Int32) async throws -> JSON {
            let run = try await Program.built.run(words + ["--json"], in: folder)
            #expect(run.status == status, "\(words): \(run.complaints)")
            if status != 0 && run.output.isEmpty { return try run.error }
            #expect(run.output.hasSuffix("\n") && run.output.count { $0 == "\n" } == 1, "\(words): \(run.output)")
            return try run.json
        }

        /// Starts a command that prints one line of JSON for each change, and reads the first.
        func watch(_ device: Device, _ command: String) async throws {
            told.insert(command)
            let process = try await ChildProcess(
                Program.built.url, words(command) + ["--json"] + device.options, complaints: folder.file("watch.log"))
            let line = await process.lines.first { _ in true }
            let json = try JSON(parsing: line ?? "")
            #expect(json["origin"] == "state", "\(command)")
            process.signal(SIGINT)
            #expect(await process.ended() == 0)
        }

        /// Runs a command that waits for a browser until its timeout.
        func runToTimeout(_ device: Device, _ command: String) async throws {
            told.insert(command)
            let run = try await device.run(words(command) + ["--timeout", "1", "--json"])
            #expect(run.status == 1 && run.output.isEmpty, "\(command)")
            let lines = run.complaints.split(separator: "\n")
            #expect(lines.count == 2 && lines.first?.contains("/passkey#") == true, "\(command): \(run.complaints)")
            #expect(lines.last?.contains(#""timeout""#) == true, "\(command): \(run.complaints)")
        }

        /// Runs a command that has no JSON, and must say so.
        func refuse(_ command: String) async throws {
            told.insert(command)
            let run = try await Program.built.run(words(command) + ["--json"], in: folder)
            #expect(run.status == 64 && run.output.isEmpty, "\(command)")
            #expect(try run.error["code"] == "noJSON", "\(command)")
        }

        private func words(_ command: String) -> [String] { command.split(separator: " ").map(String.init) }
    }

    /// The commands that the program has, those below others by their whole path.
    private func commands() async throws -> Set<String> {
        let run = try await Program.built.run(["--experimental-dump-help"], in: folder)
        func leaves(_ command: JSON, _ path: [String]) -> [String] {
            let below = command["subcommands"].elements
            if below.isEmpty { return [path.joined(separator: " ")] }
            return below.flatMap { leaves($0, path + [$0["commandName"].text ?? ""]) }
        }
        return Set(leaves(try run.json["command"], []))
    }

    @Test("Every command prints one line of JSON with --json, or says that it has none", .timeLimit(.minutes(30)))
    func everyCommand() async throws {
        let server = try await folder.server()
        let story = Story(folder, server)
        try await lists(story)
        try await people(story)
        try await contacts(story)
        try await invitations(story)
        try await sharing(story)
        try await webhooks(story)
        try await device(story)
        try await `operator`(story)
        for command in ["serve", "help"] { try await story.refuse(command) }
        let (all, told) = (try await commands(), story.told)
        #expect(all == told, "Not told: \(all.subtracting(told)). Unknown: \(told.subtracting(all)).")
        #expect(all.count > 80)
        try shapes(story)
    }

    /// What is printed has exactly the keys that Documentation/CommandLine.md lists.
    private func shapes(_ story: Story) throws {
        func answer(_ command: String, _ key: String) -> JSON {
            let value = story.answers[command, default: .null][key]
            return value.elements.first ?? value
        }
        let printed = [
            "list": answer("lists show", "lists"), "account": answer("accounts", "accounts"),
            "item": answer("items show", "items"), "link": answer("lists links", "links"),
            "member": answer("lists members", "members"), "profile": answer("profile show", "profile"),
            "connection": answer("network list", "people"), "presence": answer("network show", "presence"),
            "contact": answer("contacts show", "contact"), "number": answer("contacts show", "numbers"),
            "source": answer("contacts sources", "sources"), "status": answer("status", "status"),
            "message": answer("admin outbox list", "message"), "invitation": answer("invite list", "invitations"),
            "shareable": answer("share list", "shareables"), "share": answer("share shares", "shares"),
            "claim": answer("share claims", "claims"), "referral": answer("share referrals", "referrals"),
            "reward": answer("share rewards", "rewards"), "programme": answer("share programmes", "programmes"),
        ]
        let documented = try DocumentedShapes()
        for (shape, json) in printed { #expect(json.keys == documented.keys(of: shape), "\(shape)") }
        let owners: Set = ["visibility", "listed", "discoverable", "claimedEmail", "notifiedOfJoins"]
        #expect(
            answer("network show", "person").keys
                == documented.keys(of: "profile").subtracting(owners).union(documented.keys(of: "person")))
        #expect(documented.names.subtracting(printed.keys) == ["person", "rejection"])
    }

    private func lists(_ story: Story) async throws {
        let (ada, grace) = (story.ada, story.grace)
        try await story.tell(ada, "lists create", "Groceries")
        try await story.tell(ada, "lists create", "Gifts")
        try await story.tell(ada, "items add", "Groceries", "Bread", "Milk", "Tea")
        try await story.tell(ada, "items show", "Groceries")
        try await story.tell(ada, "items tick", "Groceries", "Bread")
        try await story.tell(ada, "items untick", "Groceries", "Bread")
        try await story.tell(ada, "items edit", "Groceries", "Bread", "--more", "2")
        try await story.tell(ada, "items move", "Groceries", "Tea", "--first")
        try await story.tell(ada, "items remove", "Groceries", "Milk")
        try await story.tell(ada, "undo")
        try await story.tell(ada, "items clear-ticked", "Groceries")
        try await story.tell(ada, "items untick-all", "Groceries")
        try await story.tell(ada, "items duplicates", "Groceries")
        try await story.tell(ada, "lists show")
        try await story.tell(ada, "lists rename", "Gifts", "Presents")
        try await story.tell(ada, "lists move", "Presents", "--first")
        let link = try await story.tell(ada, "lists share", "Groceries")["link"]["url"].text ?? ""
        let reading = try await story.tell(ada, "lists public", "Presents", "--ticks")["link"]["url"].text ?? ""
        try await story.tell(ada, "lists links", "Groceries")
        try await story.tell(grace, "lists preview", link)
        try await story.tell(grace, "lists accept", link)
        try await story.tell(grace, "lists my-name", "Groceries", "Grace")
        try await story.tell(grace, "lists read", reading)
        try await story.tell(ada, "sync")
        try await story.tell(ada, "lists members", "Groceries")
        try await story.tell(ada, "lists role", "Groceries", "Grace", "viewer")
        try await story.tell(ada, "lists revoke", "Groceries", "1")
        // Without --yes and without a terminal, a question would be 64: who may not do it is told before.
        try await story.tell(grace, "lists remove", "Groceries", status: 5)
        try await story.tell(grace, "lists hand-over", "Groceries", "Grace", status: 5)
        try await story.tell(grace, "lists leave", "Groceries")
        let gifts = try await story.tell(ada, "lists share", "Presents")["link"]["url"].text ?? ""
        try await story.tell(grace, "lists accept", gifts)
        try await story.tell(grace, "lists my-name", "Presents", "Grace")
        try await story.tell(ada, "sync")
        try await story.tell(ada, "lists hand-over", "Presents", "Grace", "--yes")
        try await story.tell(grace, "sync")
        let members = try await story.tell(grace, "lists members", "Presents")["members"].elements
        let other = try #require(members.firstIndex { $0["you"] == false })
        try await story.tell(grace, "lists remove-member", "Presents", String(other + 1))
        try await story.tell(grace, "sync")
        try await story.tell(grace, "lists let-in", "Presents", "1")
        try await story.tell(ada, "lists export", "Groceries")
        let file = folder.file("list.csv").path()
        try await story.tell(ada, "lists export", "Groceries", "-o", file)
        try await story.tell(ada, "lists export", "Groceries", "--format", "csv", status: 64)
        try await story.tell(ada, "lists import", file)
        try await story.watch(ada, "watch")
        try await story.tell(ada, "lists remove", "list")
    }

    private func people(_ story: Story) async throws {
        let (ada, grace) = (story.ada, story.grace)
        try await story.tell(grace, "profile set", "--given", "Grace")
        try await story.tell(ada, "profile set", "--given", "Ada")
        let picture = folder.file("small.png")
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: picture)
        try await story.tell(ada, "profile picture", picture.path())
        try await story.tell(ada, "profile visibility")
        try await story.tell(ada, "sync")
        let a = try await story.tell(ada, "profile show")["account"].text ?? ""
        let g = try await story.tell(grace, "profile show")["account"].text ?? ""
        try await story.tell(grace, "network connect", a)
        try await story.tell(grace, "network cancel", a)
        try await story.tell(ada, "network connect", g)
        try await story.tell(ada, "network resend", g, status: 5)
        try await story.tell(grace, "sync")
        try await story.tell(grace, "network decline", a)
        try await story.tell(grace, "network connect", a)
        try await story.tell(ada, "sync")
        try await story.tell(grace, "sync")
        try await story.tell(ada, "network list")
        try await story.tell(grace, "network show", a)
        try await story.tell(grace, "network show", a, "--picture", "-", status: 64)
        try await story.tell(ada, "network search", "Grace")
        try await story.watch(grace, "network watch")
        try await story.tell(ada, "network mute", g)
        try await story.tell(ada, "network unmute", g)
        try await story.tell(ada, "network remove", g)
        try await story.tell(ada, "network block", g)
        try await story.tell(ada, "network unblock", g)
        try await story.tell(ada, "network accept", g, status: 6)
        try await story.tell(ada, "rejections show")
        try await story.tell(ada, "rejections dismiss", "--all")
    }

    private func contacts(_ story: Story) async throws {
        let ada = story.ada
        func card(_ name: String) -> String {
            "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:\(name)\r\nFN:\(name)\r\nTEL:+436641234567\r\nEND:VCARD\r\n"
        }
        let file = try folder.write(card("Ada") + card("Grace"), to: "cards.vcf")
        try await story.tell(ada, "contacts add-source", file, "--region", "AT")
        try await story.tell(ada, "contacts sources")
        try await story.tell(ada, "contacts import", try folder.write(card("Mary"), to: "mary.vcf"))
        try await story.tell(ada, "contacts list")
        try await story.tell(ada, "contacts search", "mary")
        try await story.tell(ada, "contacts show", "Mary")
        try await story.tell(ada, "contacts show", "Mary", "--vcard", status: 64)
        try await story.watch(ada, "contacts watch")
        try await story.tell(ada, "contacts edit", "Mary", "--note", "x")
        try await story.tell(ada, "contacts edit", "Mary", "--note", "x", "--discard", status: 64)
        try await story.tell(ada, "contacts link", "Mary", "Ada")
        try await story.tell(ada, "contacts unlink", "Mary")
        try await story.tell(ada, "contacts export")
        try await story.tell(ada, "contacts export", "--format", "vcard", status: 64)
        try await story.tell(ada, "contacts export", "-o", folder.file("all.vcf").path())
        try await story.tell(ada, "discover")
        try await story.tell(ada, "contacts remove", "Grace", "--yes")
        try await story.tell(ada, "contacts remove-source", "cards")
    }

    private func invitations(_ story: Story) async throws {
        let (ada, grace) = (story.ada, story.grace)
        try await story.tell(ada, "invite email", "mary@example.com", "--text", "Hello")
        try await story.tell(ada, "invite phone", "+436641234567")
        let link = try await story.tell(ada, "invite compose", "guest@example.com")["link"].text ?? ""
        try await story.tell(ada, "invite report", "guest@example.com")
        try await story.tell(grace, "invite open", link, "--accept")
        let file = try folder.write(
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Zoe\r\nEMAIL:zoe@example.com\r\nEND:VCARD\r\n", to: "zoe.vcf")
        try await story.tell(ada, "contacts add-source", file)
        try await story.tell(ada, "invite candidates")
        try await story.tell(ada, "invite contact", "Zoe")
        try await story.tell(ada, "invite revoke", "zoe@example.com")
        try await story.tell(ada, "invite resend", "guest@example.com", status: 64)
        try await story.tell(ada, "invite accept", "zoe@example.com", status: 64)
        try await story.tell(ada, "invite decline", "zoe@example.com", status: 64)
        try await story.tell(ada, "invite remove", "zoe@example.com")
        try await story.tell(ada, "invite list")
        try await story.tell(ada, "contacts remove-source", "zoe")
    }

    private func sharing(_ story: Story) async throws {
        let ada = story.ada
        let mary = Device(folder, "mary", server: story.server.url)
        let file = try folder.write(
            """
            {"name": "friends", "title": {"en": "Tea"}, "text": {"en": "Join us."}, "guards": {"holding-days": 3},
             "rewards": {"advocate": {"name": "tea", "title": {"en": "A week of tea"}}}}
            """, to: "friends.json")
        try await story.operate("programme create", file)
        try await story.operate("programme list")
        try await story.operate("programme show", "friends")
        try await story.operate("programme pause", "friends")
        try await story.operate("programme resume", "friends")
        try await story.tell(ada, "share programmes")
        try await story.tell(ada, "share link")
        try await story.tell(ada, "share code", "ADA-TEA")
        try await story.tell(ada, "share edit", "--label", "Tea")
        try await story.tell(ada, "share select", "Tea")
        try await story.tell(ada, "share list")
        try await story.tell(ada, "share compose")
        try await story.tell(ada, "share note", "--by", "sheet", "--to", "mary@example.net")
        try await story.tell(ada, "share email", "zoe@example.net")
        try await story.tell(ada, "share shares")
        try await story.tell(ada, "share event", "purchase", "--id", "order 17")
        try await story.tell(mary, "share use", "ada-tea")
        try await story.tell(mary, "share claims")
        try await mary.json("session", "register", "mary@example.net")
        try await mary.json("session", "verify", try await folder.outbox.code(0))
        try await wait(story, ada, "share referrals", for: "referrals")
        let held = try await story.operate("referrals list", "--held")["referrals"].elements
        let id = try #require(held.first?["id"].text)
        try await story.operate("referrals release", id)
        try await story.operate("referrals refuse", id)
        try await wait(story, ada, "share rewards", for: "rewards")
        #expect(try await story.operate("funnel")["totals"]["rewarded"] == 1)
        let second = try await story.tell(ada, "share link", "--key", "recipe")["shareable"]["id"].text
        try await story.tell(ada, "share remove", second ?? "")
    }

    private func webhooks(_ story: Story) async throws {
        // Nobody listens there.
        let added = try await story.operate("webhook add", "http://127.0.0.1:1/kith", "--events", "joined,granted")
        let id = try #require(added["webhook"]["id"].text)
        try await story.operate("webhook list")
        try await story.operate("webhook show", id)
        try await story.operate("webhook pause", id)
        let event = try #require(try await story.operate("webhook test", id)["event"].text)
        try await story.operate("webhook deliveries", "--waiting")
        try await story.operate("webhook replay", event)
        try await story.operate("webhook resume", id)
        try await story.operate("webhook rotate", id)
        try await story.operate("webhook remove", id)
    }

    /// Syncs until a command shows something.
    private func wait(_ story: Story, _ device: Device, _ command: String, for key: String) async throws {
        while try await story.tell(device, command)[key].elements.isEmpty {
            try Task.checkCancellation()
            try await story.tell(device, "sync")
        }
    }

    private func device(_ story: Story) async throws {
        let (ada, grace) = (story.ada, story.grace)
        try await story.tell(ada, "status")
        try await story.tell(ada, "accounts")
        let adas = try await story.tell(ada, "session show", "--token")["token"].text ?? ""
        try await story.tell(grace, "session register", "grace@example.com", "--device", "Grace’s phone")
        try await story.tell(grace, "session verify", try await folder.outbox.code(1))
        try await story.tell(grace, "session identify", "grace@example.com")
        let pairing = try await story.tell(grace, "session pair", "--no-wait")
        try await story.tell(ada, "session join", pairing["link"].text ?? "", "--keep")
        try await story.tell(ada, "session use", adas)
        try await story.tell(grace, "session devices")
        try await story.tell(grace, "session revoke", "ffffffff", status: 6)
        try await story.tell(grace, "session identities")
        try await story.tell(grace, "session decide")
        try await story.tell(grace, "session issuers")
        try await story.tell(grace, "session login", status: 6)
        try await story.tell(grace, "session recovery status")
        let codes = try await story.tell(grace, "session recovery create")["codes"].elements
        try await story.tell(grace, "session recovery create", status: 64)
        try await story.tell(grace, "session recovery use", codes.first?.text ?? "")
        try await story.tell(grace, "session recovery use", "00000-00000-00000-00000", status: 5)
        try await story.tell(grace, "session countries")
        try await story.tell(grace, "session passkey list")
        try await story.runToTimeout(grace, "session passkey add")
        try await story.runToTimeout(grace, "session passkey login")
        try await story.tell(grace, "session passkey remove", "ffffffff", status: 6)
        let token = try await story.tell(ada, "session show", "--token")["token"].text ?? ""
        try await story.tell(ada, "session new")
        try await story.tell(ada, "session use", token)
        try await story.tell(ada, "move-lists", "--back")
        try await story.tell(ada, "session logout", "--yes")
        try await story.tell(ada, "drop-data", "everything", "--yes")
        try await story.tell(grace, "session export", folder.file("grace.zip").path())
        try await story.tell(grace, "session delete", "--yes")
    }

    private func `operator`(_ story: Story) async throws {
        let accounts = try await story.operate("account list")["accounts"].elements
        let account = try #require(accounts.first?["account"].text)
        try await story.operate("identity add", "ada@example.org", "--account", account)
        try await story.operate("identity list", "--account", account)
        try await story.operate("identity find", "ada@example.org")
        try await story.operate("identity remove", "ada@example.org")
        try await story.operate("account bot", account)
        try await addMessage()
        let messages = try await story.operate("outbox list")["messages"].elements
        let signingIn = messages.filter {
            !["invitation", "joined", "share"].contains($0["kind"]) && $0["recipient"] != "mary@example.net"
        }
        #expect(
            signingIn.map { $0["recipient"] } == ["ada@example.org"] + Array(repeating: "grace@example.com", count: 3))
        let message = try await story.operate("outbox show")["message"]
        #expect(message["id"] == messages.first?["id"])
        story.answers["admin outbox list"] = .object(["message": message])
        #expect(try await story.operate("outbox resubscribe", "ada@example.org")["kinds"].elements.isEmpty)
        let preview = try await story.show("admin message preview", "code", "--language", "de-AT")
        #expect(preview["language"] == "de")
        #expect(try await story.operate("bounce")["result"] == "ignored")
        try await story.operate("sms paused")
        try await pausePrefix()
        try await story.operate("sms release", "+43664123")
        try await story.operate("operator add", "ada")
        try await story.operate("operator list")
        try await story.operate("operator password", "ada")
        try await story.operate("operator remove", "ada")
        try await story.operate("discovery show")
        try await story.operate("discovery rotate")
        try await story.operate("backup", folder.file("backup.sqlite").path())
        let check = try await story.operate("check")
        #expect(check["count"] == 0 && check["faults"].elements.isEmpty, "\(check)")
        // The server runs.
        let file = folder.file("server.sqlite").path()
        let copy = try await story.show(
            "admin copy", "--from", "sqlite:\(file)", "--to", "postgres://nobody@localhost/nothing", status: 75)
        #expect(copy["code"] == "busy" && copy["sentence"].text?.contains("Another kith serve") == true)
        try await story.operate("account delete", account, "--yes")
    }

    private func pausePrefix() async throws {
        let database = try SQLiteDatabase(besideServer: folder.file("server.sqlite").path())
        let pause = PausedPrefix(
            prefix: try #require(NumberPrefix("+43664123")), since: Timestamp(.now), entered: 3, judged: 50)
        try await database.write { try pause.insert(in: $0) }
    }

    /// Adds a message to the queue of the running server.
    private func addMessage() async throws {
        let database = try SQLiteDatabase(besideServer: folder.file("server.sqlite").path())
        let queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), address: { "https://kith.example" })
        let message = OutgoingMessage(
            id: MessageID(UUID()), channel: .email, recipient: "ada@example.org", kind: .code,
            values: ["code": "123456", "minutes": "10"], canUnsubscribe: false)
        _ = try await database.write { try queue.add(message, at: Timestamp(.now), in: $0) }
    }
}
