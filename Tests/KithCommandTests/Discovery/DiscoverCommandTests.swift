import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("kith discover, and kith admin beside a running server") struct DiscoverCommandTests {
    private let folder = Folder()

    private func serve(_ body: (URL) async throws -> Void) async throws {
        let server = try await folder.server(flags: ["--discovery-quota", "3"])
        try await body(server.url)
        #expect(try await server.stop() == 0)
    }

    private func admin(_ arguments: String...) async throws -> Program.Run {
        try await folder.admin(arguments)
    }

    private func account(of device: Device) async throws -> String {
        try await device.json("session", "new")
        return try await device.account()
    }

    @Test("the operator registers people, and others find them; the server sees it at once") func story() async throws {
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let account = try await account(of: ada)
            let typed = ["identity", "add", "0664 1234567 Bcc", "--region", "AT", "--account", account]
            #expect(try await folder.admin(typed).status == 64, "Letters are no digits.")
            let added = try await admin("identity", "add", "0664 1234567", "--region", "AT", "--account", account)
            #expect(added.status == 0, "\(added.complaints)")
            #expect(added.output == "Account \(account) can be found by +436641234567.\n")
            #expect(
                try await admin("identity", "add", "+436641234567", "--account", account).output.contains("already"))
            #expect(try await admin("identity", "list", "--account", account).output == "+436641234567\n")

            let none = try await ben.run("discover")
            #expect(none.status == 6 && none.complaints.contains("no source"))
            let book = try folder.write(
                Seeking.vCards([("Ada", "+43 664 1234567"), ("Cleo", "cleo@example.com")]), to: "ben.vcf")
            try await ben.json("contacts", "add-source", book)
            let found = try await ben.run("discover")
            #expect(found.status == 0, "\(found.complaints)")
            #expect(found.output.contains("Ada  +436641234567  new"))
            #expect(found.output.contains("1 account on the service, of 2 numbers and emails looked for."))
            let json = try await ben.json("discover")
            #expect(json["matches"].elements.map { $0["account"].text } == [account])
            #expect(json["matches"].elements[0]["name"].text == "Ada")
            #expect(json["quota"]["left"] == .integer(1))

            // Without the server, what is known is shown.
            let offline = try await ben.run("--offline", "discover")
            #expect(offline.status == 0 && offline.output.contains("Ada"))

            #expect(try await admin("identity", "remove", "+436641234567").status == 0)
            #expect(try await admin("identity", "remove", "+436641234567").status == 6)
            #expect(try await ben.json("discover", "--again")["matches"].elements.isEmpty)
        }
    }

    @Test(
        "while a source, or a file of its folder, cannot be read, its people stay known, and are not looked for again afterwards",
        arguments: [false, true])
    func missingSource(isInFolder: Bool) async throws {
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let account = try await account(of: ada)
            try #require(try await admin("identity", "add", "+436641234567", "--account", account).status == 0)
            let friends = try folder.write(Seeking.vCards([("Ada", "+43 664 1234567")]), to: "friends.vcf")
            let work = try folder.write(Seeking.vCards([("Cleo", "cleo@example.com")]), to: "work.vcf")
            var books = [friends, work]
            if isInFolder {
                let book = folder.file("book")
                try FileManager.default.createDirectory(at: book, withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: book.appending(path: "friends.vcf").path(), withDestinationPath: friends)
                books[0] = book.path()
            }
            for book in books { try await ben.json("contacts", "add-source", book) }
            #expect(try await ben.json("discover")["quota"]["left"] == 1)
            let away = folder.file("away.vcf").path()
            try FileManager.default.moveItem(atPath: friends, toPath: away)
            let meanwhile = try await ben.json("discover", "--again")
            #expect(meanwhile["matches"].elements.map { $0["account"].text } == [account])
            #expect(meanwhile["removed"].elements.isEmpty)
            try FileManager.default.moveItem(atPath: away, toPath: friends)
            let afterwards = try await ben.json("discover", "--again")
            #expect(afterwards["matches"].elements.map { $0["account"].text } == [account])
            #expect(afterwards["quota"]["left"] == 1)
        }
    }

    @Test("two identities of one person count as one account, and my own card is not a match") func counting()
        async throws
    {
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let (account, me) = (try await account(of: ada), try await account(of: ben))
            for (value, id) in [("ada@example.com", account), ("+436641234567", account), ("ben@example.com", me)] {
                #expect(try await admin("identity", "add", value, "--account", id).status == 0)
            }
            let people = [
                ("Ada", "ada@example.com"), ("Ada at work", "+43 664 1234567"), ("Ben", "ben@example.com"),
                ("Office", "+43 664 123 45 67"),
            ]
            try await ben.json("contacts", "add-source", try folder.write(Seeking.vCards(people), to: "ben.vcf"))
            let found = try await ben.run("discover").output
            #expect(found.contains("1 account on the service, by 2 numbers and emails, of 3 "), "\(found)")
            #expect(found.contains(#/Ben .* you  /#))
            let matches = try await ben.json("discover")["matches"].elements
            #expect(matches.filter { $0["isMe"] == true }.map { $0["account"].text } == [me])
            // A shared number says nothing about which of the contacts has the account.
            #expect(found.contains("Ada at work / Office  +436641234567"), "\(found)")
            let shared = try #require(matches.first { $0["identity"] == "tel:+436641234567" })
            #expect(shared["holders"].elements.map { $0["name"] } == ["Ada at work", "Office"])
            let shown = try await ben.run("contacts", "show", "Ada at work").output
            #expect(shown.contains("On Kith") && shown.contains("kith network connect \(account)"))
        }
    }

    @Test("matches receive a request at once, either once or from now on") func connecting()
        async throws
    {
        try await serve { server in
            let people = ["ada", "cleo", "ben"].map { Device(folder, $0, server: server) }
            let (ada, cleo, ben) = (people[0], people[1], people[2])
            let (adaID, cleoID) = (try await account(of: ada), try await account(of: cleo))
            #expect(try await admin("identity", "add", "ada@example.com", "--account", adaID).status == 0)
            let book = try folder.write(
                Seeking.vCards([("Ada", "ada@example.com"), ("Cleo", "cleo@example.com")]), to: "ben.vcf")
            try await ben.json("contacts", "add-source", book)
            let found = try await ben.run("discover").output
            #expect(found.contains("new  \(adaID)"))
            #expect(found.contains("kith network connect NAME"))
            // People who were found can be named as the address book calls them, and by the end of the account id.
            #expect(try await ben.run("network", "block", "Cleo").status == 6)
            #expect(try await ben.json("network", "mute", String(adaID.suffix(8)))["account"].text == adaID)
            #expect(try await ben.json("network", "unmute", adaID)["account"].text == adaID)
            #expect(try await ben.json("network", "show", "ada")["person"]["account"].text == adaID)
            #expect(try await ben.run("--offline", "network", "connect", "ada").output.contains("Asked Ada."))
            #expect(try await ben.run("--offline", "network", "cancel", "ada").output == "You no longer ask Ada.\n")
            let asked = try await ben.json("discover", "--connect")
            #expect(asked["connecting"].elements.map { $0["account"].text } == [adaID])
            #expect(asked["matches"].elements.map { $0["relation"] } == ["sent"])
            #expect(try await ben.json("status")["status"]["waiting"] == 0)
            try await ada.json("sync")
            #expect(try await ada.json("network")["pending"] == 1)
            // Somebody on the service is not invited, but asked, unless they are connected already.
            let unasked = try await ben.run("invite", "contact", "Ada")
            #expect(unasked.status == 5, "\(unasked.complaints)")
            #expect(unasked.complaints.contains("kith network connect \(adaID)\n"), "\(unasked.complaints)")
            try await ada.json("network", "accept", try await ben.account())
            try await ben.json("sync")
            let connected = try await ben.run("invite", "contact", "Ada")
            #expect(connected.status == 5 && connected.complaints.contains("already connected with you"))

            #expect(try await admin("identity", "add", "cleo@example.com", "--account", cleoID).status == 0)
            #expect(try await ben.json("discover", "--again")["connecting"].elements.isEmpty)
            let automatic = try await ben.run("discover", "--auto-connect")
            #expect(automatic.output.contains("Asked: Cleo\n") && automatic.output.contains("--no-auto-connect"))
            try await cleo.json("sync")
            #expect(try await cleo.json("network")["pending"] == 1)
            #expect(try await ben.json("discover")["autoConnect"] == true)
            let over = try await ben.json("discover", "--no-auto-connect", "--auto-look")
            #expect(over["autoConnect"] == false && over["autoLook"] == true)
        }
    }

    @Test("a used-up daily quota exits with 5, says when the next day begins, and shows who was found until then")
    func quota() async throws {
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let account = try await account(of: ada)
            for number in 0..<4 {
                let added = try await admin("identity", "add", "person\(number)@example.com", "--account", account)
                try #require(added.status == 0, "\(added.complaints)")
            }
            let people = (0..<4).map { ("Person \($0)", "person\($0)@example.com") }
            try await ben.json("contacts", "add-source", try folder.write(Seeking.vCards(people), to: "ben.vcf"))
            let run = try await ben.run("--json", "discover")
            #expect(run.status == 5)
            #expect(try run.error["code"].text == "quotaExceeded")
            #expect(try run.error["sentence"].text?.contains("T00:00:00Z") == true)
            #expect(try run.json["matches"].elements.map { $0["isNew"] } == [true, true, true])
            let offline = try await ben.run("--offline", "discover")
            #expect(offline.status == 0 && offline.output.contains("of 3 numbers and emails"), "\(offline.complaints)")
            // Whoever turns looking off does not ask for the rest.
            #expect(try await ben.json("discover", "--no-auto-look")["matches"].elements.count == 3)
        }
    }

    @Test("a key can be rotated while the server runs, and everybody is still found") func rotation() async throws {
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let account = try await account(of: ada)
            #expect(try await admin("identity", "add", "ada@example.com", "--account", account).status == 0)
            let rotated = try await admin("discovery", "rotate", "--json")
            #expect(rotated.status == 0, "\(rotated.complaints)")
            let keys = try rotated.json["keys"].elements
            #expect(keys.count == 2 && keys[0]["until"] == .null && keys[1]["until"] != .null)
            try await ben.json(
                "contacts", "add-source", try folder.write(Seeking.vCards([("Ada", "ada@example.com")]), to: "ben.vcf"))
            #expect(try await ben.json("discover")["matches"].elements.map { $0["account"].text } == [account])
            #expect(try await admin("discovery").output.contains("can be found: 1"))
        }
    }

    @Test("Trap: an address book that is away stops commands about people – they go on without its names")
    func unreadableBook() async throws {
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let account = try await account(of: ada)
            #expect(try await admin("identity", "add", "ada@example.com", "--account", account).status == 0)
            let book = try folder.write(Seeking.vCards([("Ada", "ada@example.com")]), to: "ben.vcf")
            try await ben.json("contacts", "add-source", book)
            try await ben.json("discover")
            try FileManager.default.removeItem(atPath: book)
            let unknown = try await ben.run("network", "show", "Nobody")
            #expect(unknown.status == 6, "\(unknown.complaints)")
            #expect(unknown.complaints.contains("is called “Nobody”"), "\(unknown.complaints)")
            #expect(unknown.complaints.contains("There is nothing at"), "\(unknown.complaints)")
            // Whoever was found before is still known by the id.
            let block = try await ben.run("network", "block", String(account.suffix(8)))
            #expect(block.status == 0, "\(block.complaints)")
        }
    }

    @Test("impossible commands are refused with advice") func refusals() async throws {
        let missing = try await admin("identity", "list", "--account", UUID().uuidString)
        #expect(missing.status == 6 && missing.complaints.contains("There is no database"))
        try await serve { server in
            let (ada, ben) = (Device(folder, "ada", server: server), Device(folder, "ben", server: server))
            let (first, second) = (try await account(of: ada), try await account(of: ben))
            for value in ["112", "0664 1234567", "Ada", "ada@", "+0"] {
                let run = try await admin("identity", "add", value, "--account", first)
                #expect(run.status == 64 && run.complaints.contains("neither a number nor an email"), "\(value)")
            }
            #expect(try await admin("identity", "add", "ada@example.com", "--account", first).status == 0)
            let taken = try await admin("identity", "add", "ada@example.com", "--account", second)
            #expect(taken.status == 5 && taken.complaints.contains("--move"))
            #expect(try await admin("identity", "add", "ada@example.com", "--account", second, "--move").status == 0)
            let unknown = try await admin("identity", "add", "+436641234567", "--account", UUID().uuidString)
            #expect(unknown.status == 6)
            let offline = try await ben.run("--offline", "discover")
            #expect(offline.status == 6)
        }
    }
}
