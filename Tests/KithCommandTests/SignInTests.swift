import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Signing in with an email, from the command line") struct SignInTests {
    private let folder = Folder()

    @Test("A device registers with an email; the account’s devices and emails are listed and removed")
    func registering() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("session", "devices", "--name", "An earlier name")
        try await phone.json("session", "register", "Ada@Example.com", "--device", "Ada's phone")
        // Trap: The file names the email, so only its owner may read it.
        let requested = URL(filePath: phone.data).appending(path: "code.json").path(percentEncoded: false)
        let mode = try FileManager.default.attributesOfItem(atPath: requested)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let first = try await phone.json("session", "verify", try await folder.outbox.code(0))
        #expect(first["identity"] == "mailto:ada@example.com" && first["isOtherAccount"] == false)
        #expect(try await phone.json("session", "show")["state"] == "identified")
        #expect(try await phone.json("lists")["lists"].elements.map { $0["name"] } == ["Groceries"])

        try await tablet.json("lists", "create", "Mine")
        let wait = try await tablet.run("--json", "session", "register", "ada@example.com")
        #expect(wait.status == 3, "A code can be requested once a minute.")
        try await tablet.json("session", "register", "tablet@example.com")
        let wrong = try await tablet.run("--json", "session", "verify", "00000x")
        #expect(wrong.status == 5)
        #expect(try wrong.error["code"] == "codeWrong")
        let digits = try await folder.outbox.code(1)
        try await tablet.json("session", "verify", "\(digits.prefix(3))-\(digits.suffix(3))", "--keep")
        let devices = try await phone.json("session", "devices")["sessions"].elements
        #expect(devices[0]["device"] == "Ada's phone" && devices[0]["isCurrent"] == true)
        let own = try #require(devices[0]["id"].text)
        #expect(try await phone.run("session", "revoke", own).status == 64)
        #expect(try await phone.run("session", "revoke", "ffffffff").status == 6)
        #expect(
            try await phone.json("session", "identities")["identities"].elements.map { $0["identity"] }
                == ["mailto:ada@example.com"])
        try await phone.json("session", "identities", "--remove", "ada@example.com", "--last")
        #expect(try await phone.json("session", "show")["state"] == "anonymous")
    }

    @Test("A second device switches to the account of the email, and moves the lists of its former account")
    func secondDevice() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        let account = try await phone.account()
        // The operator adds the email. A code for it could be requested only once a minute.
        try await folder.addIdentity("ada@example.com", to: account)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("lists", "create", "Mine")
        try await tablet.json("sync")
        try await tablet.json("session", "register", "ada@example.com", "--device", "Ada's tablet")
        let answer = try await tablet.json("session", "verify", try await folder.outbox.code(0), "--move")
        #expect(answer["account"].text == account && answer["isOtherAccount"] == true)
        #expect(answer["hidden"].elements.count == 1 && answer["choice"] == "move")
        try await tablet.json("sync")
        #expect(try await tablet.listNames() == ["Groceries", "Mine"])
        // The phone closes the lost tablet's session.
        let devices = try await phone.json("session", "devices")["sessions"].elements
        #expect(devices.count == 2)
        let lost = try #require(devices.first { $0["device"] == "Ada's tablet" }?["id"].text)
        let revoked = try await phone.run("session", "revoke", lost)
        #expect(revoked.status == 0 && revoked.output.contains("The session of Ada's tablet is closed."))
        #expect(try await tablet.run("sync").status == 4)
        #expect(try await tablet.json("lists")["lists"].elements.count == 2, "The device keeps its data.")
    }

    @Test("A device signs in with a recovery code, once; the remaining codes are counted")
    func recovery() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        #expect(try await phone.json("session", "recovery")["codes"] == 0)
        let codes = try await phone.json("session", "recovery", "create")["codes"].elements.compactMap(\.text)
        #expect(codes.count == 10)
        #expect(try await phone.run("session", "recovery", "create").status == 64, "It asks first.")
        try await tablet.json("lists", "create", "Mine")
        try await tablet.json("sync")
        let answer = try await tablet.json("session", "recovery", "use", codes[4], "--device", "Ada's tablet", "--move")
        #expect(answer["isOtherAccount"] == true && answer["left"] == 9 && answer["choice"] == "move")
        #expect(answer["account"] == (try await phone.json("session", "show")["account"]))
        #expect(try await tablet.json("session", "show")["state"] == "anonymous")
        #expect(try await tablet.listNames() == ["Groceries", "Mine"])
        let again = try await phone.run("--json", "session", "recovery", "use", codes[4])
        #expect(again.status == 5)
        #expect(try again.error["code"] == "codeWrong")
        let own = try await phone.json("session", "recovery", "use", codes[5])
        #expect(own["isOtherAccount"] == false && own["left"] == 9)
    }

    @Test("Without an option and a terminal, the error lists the hidden accounts; they are decided about later")
    func undecided() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        let account = try await phone.account()
        try await folder.addIdentity("ada@example.com", to: account)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("lists", "create", "Mine")
        try await tablet.json("sync")
        let own = String(try await tablet.account().suffix(8))
        try await tablet.json("session", "register", "ada@example.com", "--name", "Ada Lovelace")
        let run = try await tablet.run("--json", "session", "verify", try await folder.outbox.code(0))
        #expect(run.status == 64)
        #expect(try await tablet.json("profile")["profile"]["name"] == "Ada Lovelace", "The name is not lost.")
        let error = try run.error
        #expect(error["code"] == "undecided" && error["candidates"].elements.count == 1)
        #expect(error["sentence"].text?.contains("account \(own), with 1 list") == true)
        #expect(try await tablet.json("session", "show")["account"].text == account, "It is signed in.")
        #expect(try await tablet.json("accounts")["accounts"].elements.count { $0["undecided"] == true } == 1)
        #expect(try await tablet.run("session", "decide").status == 64)
        #expect(try await tablet.run("session", "decide", "userless", "--keep").status == 6)
        #expect(try await tablet.run("session").output.contains("kith session decide"))
        let decided = try await tablet.json("session", "decide", own, "--move")
        #expect(decided["choice"] == "move" && decided["decided"].elements.count == 1)
        #expect(try await tablet.listNames() == ["Groceries", "Mine"])
        #expect(try await tablet.json("session", "decide")["decided"].elements.isEmpty)
    }

    @Test("Without a requested code, the error of “verify” says what to do") func nothingRequested() async throws {
        let server = try await folder.server()
        let device = Device(folder, "device", server: server.url)
        let run = try await device.run("session", "verify", "123456")
        #expect(run.status == 6 && run.complaints.contains("kith session register"))
        #expect(try await device.run("session", "register", "not an address").status == 64)
    }

    @Test("Trap: the answer to a request is lost, and its code is of no use – no second code is sent, and it is taken")
    func lostAnswer() async throws {
        let server = try await folder.server()
        let device = Device(folder, "device", server: server.url)
        try await device.json("session", "register", "ada@example.com", "--name", "Ada Lovelace")
        let file = URL(filePath: device.data).appending(path: "code.json")
        /// Takes the answer away, as if it had not arrived.
        func loseAnswer() throws -> JSON {
            guard case .object(var stored) = try JSON(parsing: String(contentsOf: file, encoding: .utf8)) else {
                return .null
            }
            stored["sent"] = nil
            try JSONEncoder().encode(JSON.object(stored)).write(to: file)
            return stored["request"]?["id"] ?? .null
        }
        let first = try loseAnswer()
        let again = try await device.json("session", "register", "ada@example.com", "--name", "Ada Lovelace")
        #expect(again["id"] == first)
        // Another email gets a code of its own. The refused request for the first one changes nothing.
        let other = try await device.json("session", "register", "ben@example.com")["id"]
        #expect(other != first)
        #expect(try await device.run("session", "register", "ada@example.com").status == 3, "Once a minute.")
        #expect(try loseAnswer() == other)
        // It is the second one that was sent.
        let code = try await folder.outbox.code(1)
        #expect(try await device.json("session", "verify", code)["identity"] == "mailto:ben@example.com")
    }

    @Test("A request whose server cannot be reached is stored, and sent later with the same id") func unreachable()
        async throws
    {
        let server = try await folder.server()
        let device = Device(folder, "device", server: server.url)
        try await device.json("sync")
        await server.kill()
        #expect(try await device.run("session", "register", "ada@example.com").status == 3)
        try await server.start()
        let text = try String(contentsOf: URL(filePath: device.data).appending(path: "code.json"), encoding: .utf8)
        let stored = try JSON(parsing: text)["request"]["id"]
        #expect(try await device.json("session", "register", "ada@example.com")["id"] == stored)
    }

    @Test(
        "Trap: after a log-out another email leads to an empty account without a word – the command says that it is new"
    )
    func newAccount() async throws {
        let server = try await folder.server()
        let device = Device(folder, "device", server: server.url)
        try await device.json("lists", "create", "Groceries")
        try await device.json("session", "register", "ada@example.com")
        #expect(try await device.json("session", "verify", try await folder.outbox.code(0))["isNewAccount"] == false)
        let out = try await device.run("session", "logout", "--yes")
        #expect(out.output.contains("kith session passkey login"), "\(out.output)")
        try await device.json("session", "register", "grace@example.com")
        let run = try await device.run("session", "verify", try await folder.outbox.code(1))
        let sentence = "No account had grace@example.com, so it belongs to a new account, which is empty."
        #expect(run.status == 0 && run.output.hasPrefix(sentence), "\(run.output) \(run.complaints)")
        #expect(run.output.contains("kith session recovery use CODE"), "\(run.output)")
    }
}
