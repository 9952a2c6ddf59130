import Foundation
import KithCommand
import KithModel
import KithServer
import Testing

@Suite("kith admin webhook") struct WebhookCommandTests {
    private let folder = Folder()

    init() throws {
        // The command works on the database of a server.
        _ = try SQLiteDatabase(path: folder.file("server.sqlite").path())
    }

    private func run(_ arguments: String...) async throws -> Program.Run {
        try await folder.admin(["webhook"] + arguments)
    }

    @Test("A webhook is added with a secret, shown by the start of its id, tried out, paused, resumed and removed")
    func life() async throws {
        #expect(try await run().output.contains("There are no webhooks"))
        let added = try await run("add", "https://tea.example.com/kith", "--events", "joined, granted", "--json")
        #expect(added.status == 0, "\(added.complaints)")
        let webhook = try added.json["webhook"]
        #expect(webhook["events"].elements == ["referral.joined", "referral.granted"] && webhook["state"] == "active")
        let secret = try #require(try added.json["secret"].text)
        #expect(WebhookSecret(secret) != nil)
        let id = String(try #require(webhook["id"].text).prefix(13))
        let shown = try await run("show", id).output
        #expect(shown.contains("https://tea.example.com/kith") && shown.contains("referral.joined, referral.granted"))
        #expect(!shown.contains("whsec_"))
        #expect(try await run("pause", id, "--json").json["webhook"]["state"] == "paused")
        #expect(try await run("test", id).output.contains("waits until the webhook is resumed"))
        #expect(try await run("deliveries").output.contains("waiting"))
        #expect(try await run("deliveries", "--failed").output == "There are no such events.\n")
        #expect(try await run("resume", id, "--json").json["webhook"]["state"] == "active")
        let rotated = try await run("rotate", id).output
        #expect(rotated.contains("whsec_") && !rotated.contains(secret))
        #expect(try await run("replay", "--failed").output == "Sent again: 0 events.\n")
        #expect(try await run("remove", id).output == "The webhook https://tea.example.com/kith is removed.\n")
        #expect(try await run("list", "--json").json["webhooks"].elements.isEmpty)
    }

    @Test("An event has the name of its body, on the command line too; the short name is read as well")
    func names() async throws {
        let whole = try await run("add", "https://tea.example.com/a", "--events", "referral.held,shared", "--json")
        let webhook = try whole.json["webhook"]
        #expect(webhook["events"].elements == ["referral.shared", "referral.held"])
        let id = try #require(webhook["id"].text)
        #expect(try await run("test", id).status == 0)
        #expect(try await run("deliveries").output.contains("webhook.test"))
        #expect(try await run("deliveries", "--json").json["deliveries"].elements[0]["event"] == "webhook.test")
    }

    @Test("The ids of webhooks in a listing of events are long enough for the other commands")
    func shortIDs() async throws {
        var ids: [String] = []
        for name in ["a", "b", "c"] {
            let added = try await run("add", "https://tea.example.com/\(name)", "--json")
            ids.append(try #require(try added.json["webhook"]["id"].text))
        }
        #expect(try await run("test", ids[1]).status == 0)
        let line = try #require(try await run("deliveries").output.split(separator: "\n").last)
        let shown = try #require(line.split(separator: " ").dropLast().last.map(String.init))
        #expect(ids[1].hasPrefix(shown), "\(line)")
        #expect(try await run("show", shown, "--json").json["webhook"]["id"].text == ids[1])
    }

    @Test("A second webhook with the same address is added, and says that there is one already")
    func sameAddress() async throws {
        let first = try await run("add", "https://tea.example.com/kith")
        #expect(!first.output.contains("already"), "\(first.output)")
        let second = try await run("add", "https://tea.example.com/kith")
        #expect(second.status == 0 && second.output.contains("This address has another webhook already"))
    }

    @Test("What cannot be a webhook is refused")
    func mistakes() async throws {
        #expect(try await run("add", "http://tea.example.com/kith").status == 64)
        #expect(try await run("add", "https://tea.example.com/kith", "--events", "visited").status == 64)
        #expect(try await run("add", "https://tea.example.com/kith", "--programme", "friends").status == 6)
        #expect(try await run("show", "019c").status == 6)
        #expect(try await run("replay").status == 64)
        #expect(try await run("replay", "019c", "--failed").status == 64)
        let user = try await run("add", "https://u:secret@tea.example.com/kith")
        #expect(user.status == 64 && user.complaints.contains("no user and no password"), "\(user.complaints)")
        #expect(!user.complaints.contains("secret@"))
        let since = try await run("replay", "--since", "2h")
        #expect(since.status == 64 && since.complaints.contains("Write 2026-12-24"), "\(since.complaints)")
        let hint = try await run("add", "https://10.0.0.1/kith")
        #expect(hint.status == 0 && hint.output.contains("webhooks-to-private-addresses"), "\(hint.output)")
        let unknown = try await run("show", "zzzz")
        #expect(unknown.complaints.contains("To see them all: kith admin webhook"), "\(unknown.complaints)")
    }
}
