import Foundation
import Kith
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Adding a device, from the command line") struct PairingTests {
    private let folder = Folder()

    @Test("A new device signs in with the link, and moves the lists of its former account")
    func joining() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        // The tablet has no server. The link names it.
        let tablet = Device(folder, "tablet")
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        try await tablet.json("lists", "create", "Mine")
        let pairing = try await phone.json("session", "pair", "--no-wait")
        let link = try #require(pairing["link"].text)
        let joined = try await tablet.json("session", "join", link, "--device", "Ada's tablet", "--move")
        #expect(joined["account"] == (try await phone.json("session", "show"))["account"])
        #expect(joined["choice"] == "move" && joined["hidden"].elements.count == 1)
        let synced = Device(folder, "tablet", server: server.url)
        try await synced.json("sync")
        #expect(try await synced.listNames() == ["Groceries", "Mine"])
        let devices = try await phone.json("session", "devices", "--name", "Ada's phone")["sessions"].elements
        #expect(devices.map { $0["device"].text } == ["Ada's phone", "Ada's tablet"])
        #expect(devices.allSatisfy { $0["lastUsed"].text?.hasSuffix(":00:00.000Z") == true })

        let again = try await Device(folder, "other", server: server.url).run("--json", "session", "join", link)
        #expect(again.status == 5)
        #expect(try again.error["code"] == "codeExpired")
        try await phone.json("session", "logout", "--everywhere", "--keep")
        // The tablet's session is closed too. The account is anonymous, so the tablet opens a new one.
        let replaced = try await synced.run("sync")
        #expect(replaced.complaints.contains("no longer accepts the session's token"))
    }

    @Test("A paired device learns that the account is identified: signed out, it keeps the account and asks to sign in")
    func identified() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        let link = try #require(try await phone.json("session", "pair", "--no-wait")["link"].text)
        try await tablet.json("session", "join", link, "--device", "Tablet")
        #expect(try await tablet.json("session", "show")["state"] == "anonymous")
        try await phone.json("session", "register", "ada@example.com")
        try await phone.json("session", "verify", try await folder.outbox.code(0))
        try await tablet.json("sync")
        #expect(try await tablet.json("session", "show")["state"] == "identified")
        let accounts = try await tablet.json("accounts")["accounts"].elements.count
        let devices = try await phone.json("session", "devices")["sessions"].elements
        let lost = try #require(devices.first { $0["device"] == "Tablet" }?["id"].text)
        try await phone.json("session", "revoke", lost)
        #expect(try await tablet.run("sync").status == 4)
        #expect(try await tablet.json("session", "show")["state"] == "invalidToken")
        #expect(try await tablet.json("accounts")["accounts"].elements.count == accounts)
    }

    @Test("The device that shows the code waits until it is used, and names the device that used it") func waiting()
        async throws
    {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let process = try await phone.start("session", "pair", "--json")
        var lines = process.lines.makeAsyncIterator()
        let first = try JSON(parsing: await lines.next() ?? "")
        let link = try #require(first["link"].text)
        try await Device(folder, "tablet", server: server.url).json("session", "join", link, "--device", "Tablet")
        let second = try JSON(parsing: await lines.next() ?? "")
        #expect(second["state"] == "used" && second["device"] == "Tablet" && second["session"].text != nil)
        #expect(await process.ended() == 0)
    }

    @Test(
        "Trap: somebody saw the code, and it works after the command was interrupted – it signs no device in",
        arguments: [SIGINT, SIGTERM])
    func interrupted(number: Int32) async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let process = try await phone.start("session", "pair", "--json", isPatient: true)
        var lines = process.lines.makeAsyncIterator()
        let link = try #require(try JSON(parsing: await lines.next() ?? "")["link"].text)
        process.signal(number)
        #expect(await process.ended() == 128 + number)
        let refused = try await Device(folder, "tablet", server: server.url).run("--json", "session", "join", link)
        #expect(refused.status == 5)
        #expect(try refused.error["code"] == "codeExpired")
    }

    @Test("Without an option and a terminal, joining leaves the hidden account undecided; --keep decides about it")
    func undecided() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("sync")
        func pairing() async throws -> String {
            try #require(try await phone.json("session", "pair", "--no-wait")["link"].text)
        }
        func undecided(_ device: Device) async throws -> Int {
            try await device.json("accounts")["accounts"].elements.count { $0["undecided"] == true }
        }
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("lists", "create", "Mine")
        let refused = try await tablet.run("--json", "session", "join", try await pairing())
        #expect(refused.status == 64)
        #expect(try refused.error["code"] == "undecided")
        #expect(try await undecided(tablet) == 1)
        let laptop = Device(folder, "laptop", server: server.url)
        try await laptop.json("lists", "create", "Mine")
        #expect(try await laptop.json("session", "join", try await pairing(), "--keep")["choice"] == "keep")
        #expect(try await undecided(laptop) == 0)
    }

    @Test("A pairing that an app has ended signs no device in, and whoever waits for it hears that it is gone")
    func ended() async throws {
        let server = try await folder.server()
        func app(_ name: String) throws -> KithClient {
            try KithClient(KithConfiguration(server: server.url, storage: .directory(folder.file(name))))
        }
        let (phone, tablet) = (try app("phone"), try app("tablet"))
        let pairing = try await phone.pairings.make()
        #expect(try await phone.pairings.status(of: pairing.id).state == .open)
        try await phone.pairings.end(pairing.id)
        let refused = await #expect(throws: KithError.self) { try await tablet.pairings.use(link: pairing.link) }
        #expect(refused?.code == .codeExpired)
        let gone = await #expect(throws: KithError.self) { try await phone.pairings.result(of: pairing) }
        #expect(gone?.code == .notFound)
        #expect(try await phone.session.all().count == 1)
    }

    @Test("A text that is not a pairing link is refused before a request is sent") func notALink() async throws {
        let device = Device(folder, "device")
        for text in ["https://kith.example.com/pair", "https://kith.example.com/pair#short", "token"] {
            #expect(try await device.run("session", "join", text).status == 64)
        }
        let own = Device(folder, "own", server: URL(string: "http://127.0.0.1:1"))
        #expect(try await own.run("session", "pair", "--no-wait").status == 3)
    }

    @Test("An email is replaced in one step, and the last one is removed only with --last") func changing() async throws
    {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let outbox = folder.outbox
        func identities() async throws -> [String] {
            try await phone.json("session", "identities")["identities"].elements.compactMap { $0["identity"].text }
        }
        try await phone.json("session", "register", "old@example.com")
        try await phone.json("session", "verify", try await outbox.code(0))
        let unknown = try await phone.run("session", "register", "new@example.com", "--replace", "no@example.com")
        #expect(unknown.status == 6)
        try await phone.json("session", "register", "new@example.com", "--replace", "old@example.com")
        #expect(try await identities() == ["mailto:old@example.com"])
        try await phone.json("session", "verify", try await outbox.code(1))
        #expect(try await identities() == ["mailto:new@example.com"])
        let refused = try await phone.run("--json", "session", "identities", "--remove", "new@example.com")
        #expect(refused.status == 5)
        #expect(try refused.error["code"] == "lastWayIn")
        try await phone.json("session", "identities", "--remove", "new@example.com", "--last")
        #expect(try await identities().isEmpty)
    }
}
