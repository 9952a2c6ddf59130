import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Exporting an account, from the command line") struct ExportTests {
    private let folder = Folder()

    private static let missing = Peers.missing("vobject")

    /// The content of the archive, as Python's readers of ZIP, iCalendar and vCard see it.
    private func read(_ archive: URL) async throws -> JSON {
        let run = try await FinishedProcess(
            Peers.python, [Peers.script("archive.py"), archive.path(percentEncoded: false)])
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        return try JSONDecoder().decode(JSON.self, from: run.output)
    }

    @Test(
        "Python’s readers find everything in the archive: records, tasks, contacts, and the server’s data",
        .skipped(if: missing))
    func archive() async throws {
        let server = try await folder.server()
        let (ada, ben) = (Device(folder, "ada", server: server.url), Device(folder, "ben", server: server.url))
        try await ada.json("lists", "create", "Groceries / 日本")
        try await ada.json("items", "add", "Groceries", "Oat milk", "Coffee")
        try await ada.json("items", "tick", "Groceries", "Coffee")
        try await ada.json("lists", "share", "Groceries")
        try await ada.json("session", "register", "ada@example.com", "--device", "Ada's phone")
        try await ada.json("session", "verify", try await folder.outbox.code(0))
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:1\r\nFN:Mary Müller\r\nEND:VCARD\r\n"
        try await ada.json("contacts", "add-source", try folder.write(card, to: "cards.vcf"))
        try await ben.json("profile", "set", "--given", "Ben")
        try await ben.json("sync")
        let bens = try #require(try await ben.json("profile", "show")["account"].text)
        let adas = try #require(try await ada.json("profile", "show")["account"].text)
        try await ada.json("network", "connect", bens)
        try await ben.json("network", "connect", adas)
        try await ada.json("sync")

        let file = folder.file("archive.zip")
        let answer = try await ada.json("session", "export", file.path(percentEncoded: false))
        #expect(answer["lists"] == 1 && answer["people"] == 1 && answer["cards"] == 1 && answer["complete"] == true)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let found = try await read(file)
        let account = found["json"]["account.json"]
        #expect(account["account"].text == adas && account["format"] == 1 && account["state"] == "identified")
        #expect(account["identities"].elements.map { $0["identity"] } == ["mailto:ada@example.com"])
        #expect(account["sessions"].elements.map { $0["device"] } == ["Ada's phone"])
        #expect(account["passkeys"].elements.isEmpty && account["issuerIdentities"].elements.isEmpty)
        #expect(account["recoveryCodes"]["left"] == 0)
        #expect(account["links"].elements.count == 1 && account["links"].elements.first?["token"] == .null)
        #expect(
            found["tasks"]["lists/Groceries 日本.ics"].elements.map { $0["title"] } == ["Oat milk", "Coffee"])
        #expect(
            found["tasks"]["lists/Groceries 日本.ics"].elements.map { $0["status"] } == ["NEEDS-ACTION", "COMPLETED"])
        // What `lists import` reads again.
        let list = found["json"]["lists/Groceries 日本.json"]
        #expect(list["items"].elements.map { $0["title"] } == ["Oat milk", "Coffee"])
        #expect(list["name"] == "Groceries / 日本")
        #expect(found["cards"]["contacts/network.vcf"].elements == ["Ben"])
        #expect(found["cards"]["contacts/address-book.vcf"].elements == ["Mary Müller"])
        let own = found["json"]["records/account.json"]["records"]
        #expect(own["contact"].elements.map { $0["id"].text } == [bens])
        let id = try #require(try await ada.json("lists")["lists"].elements.first?["id"].text)
        let records = found["json"]["records/\(id).json"]["records"]
        #expect(records["list"].elements.map { $0["fields"]["name"] } == ["Groceries / 日本"])
        let items = records["item"].elements
        #expect(Set(items.compactMap { $0["fields"]["title"].text }) == ["Oat milk", "Coffee"])
        #expect(items.allSatisfy { $0["isSent"] == true } && records["member"].elements.count == 1)
    }

    @Test("Trap: A character has up to dozens of bytes – the files of the archive have names of at most 255")
    func longNames() async throws {
        let device = Device(folder, "device")
        // Each letter has two scalars of three bytes.
        let name = String(repeating: "नि", count: 80)
        for _ in 0..<2 { try await device.json("lists", "create", name) }
        let file = folder.file("archive.zip")
        _ = try await device.run("--offline", "session", "export", file.path(percentEncoded: false))
        let lists = Self.names(in: [UInt8](try Data(contentsOf: file))).filter { $0.hasPrefix("lists/") }
        #expect(lists.count == 4 && Set(lists).count == 4)
        #expect(lists.allSatisfy { $0.utf8.count - "lists/".utf8.count <= 255 })
    }

    @Test("Trap: Windows cannot unpack files that are called like a device – the names of lists get a word more")
    func deviceNames() async throws {
        let device = Device(folder, "device")
        for name in ["Con", "nul", "LPT1", "Console"] { try await device.json("lists", "create", name) }
        let file = folder.file("archive.zip")
        try await device.json("session", "export", file.path(percentEncoded: false))
        let lists = Self.names(in: [UInt8](try Data(contentsOf: file))).filter { $0.hasPrefix("lists/") }
        let names = ["Con list", "nul list", "LPT1 list", "Console"]
        #expect(Set(lists) == Set(names.flatMap { ["lists/\($0).ics", "lists/\($0).json"] }))
    }

    /// The names in the directory at the end of an archive (APPNOTE, section 4.3.12).
    private static func names(in archive: [UInt8]) -> [String] {
        archive.indices.dropLast(46).filter { archive[$0..<$0 + 4].elementsEqual([0x50, 0x4B, 1, 2]) }.map { start in
            let count = Int(archive[start + 28]) | Int(archive[start + 29]) << 8
            return String(decoding: archive[(start + 46)..<(start + 46 + count)], as: UTF8.self)
        }
    }

    @Test("Trap: the archive of an account that no server knows lacks something – it has everything") func local()
        async throws
    {
        let device = Device(folder, "device")
        try await device.json("lists", "create", "Groceries")
        let file = folder.file("archive.zip").path(percentEncoded: false)
        let answer = try await device.json("session", "export", file)
        #expect(answer["complete"] == true && answer["lists"] == 1)
        let run = try await device.run("--offline", "session", "export", file)
        #expect(run.status == 0 && run.complaints == "")
    }

    @Test(
        "Trap: an export without the cards of a source that cannot be read counts as complete – it names the source, and the lists are in it",
        arguments: [false, true])
    func unreadSource(isOnly: Bool) async throws {
        let device = Device(folder, "device")
        try await device.json("lists", "create", "Groceries")
        for name in isOnly ? ["Away"] : ["Here", "Away"] {
            let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:\(name)\r\nFN:\(name)\r\nEND:VCARD\r\n"
            let path = try folder.write(card, to: "\(name).vcf")
            try await device.json("contacts", "add-source", path, "--name", name)
        }
        try FileManager.default.removeItem(at: folder.file("Away.vcf"))
        let run = try await device.run("--json", "session", "export", folder.file("archive.zip").path())
        #expect(run.status == 7 && run.complaints.contains("Cards of “Away” are missing"), "\(run.complaints)")
        #expect(try run.json["lists"] == 1 && run.json["complete"] == false)
        #expect(try run.json["cards"] == (isOnly ? 0 : 1))
        #expect(try run.json["unreadSources"].elements == ["Away"])

        let cards = try await device.run("--json", "contacts", "export", "-o", folder.file("all.vcf").path())
        if isOnly {
            #expect(cards.status == 6 && !FileManager.default.fileExists(atPath: folder.file("all.vcf").path()))
        } else {
            #expect(cards.status == 7, "\(cards.complaints)")
            #expect(try cards.json["exported"] == 1 && cards.json["unreadSources"].elements == ["Away"])
            let printed = try await device.run("contacts", "export")
            #expect(printed.status == 7 && printed.output.contains("FN:Here"), "\(printed.complaints)")
            #expect(try await device.run("contacts", "export", "--source", "Here").status == 0)
        }
    }

    @Test("Trap: the server no longer accepts the token – the archive is of the former account, and not complete")
    func refusedToken() async throws {
        let server = try await folder.server()
        let device = Device(folder, "device", server: server.url)
        try await device.json("lists", "create", "Groceries")
        try await device.json("sync")
        let account = try await device.account()
        let thief = Device(folder, "thief", server: server.url)
        try await thief.json("session", "use", try await device.token())
        try await thief.json("session", "logout", "--yes")
        let file = folder.file("archive.zip")
        let run = try await device.run("--json", "session", "export", file.path(percentEncoded: false))
        #expect(run.status == 7, "\(run.complaints)")
        #expect(try run.json["lists"] == 1 && run.json["complete"] == false)
        #expect(run.complaints.contains("The archive is that of account \(account.suffix(8))"), "\(run.complaints)")
        #expect(Self.names(in: [UInt8](try Data(contentsOf: file))).contains("lists/Groceries.ics"))
    }

    @Test("Trap: an interrupted export leaves the data in a hidden file – nothing stays", arguments: [SIGINT, SIGTERM])
    func interrupted(number: Int32) async throws {
        let server = try await folder.server()
        let device = Device(folder, "device", server: server.url)
        try await device.json("lists", "create", "Groceries")
        try await device.json("sync")
        let archives = folder.file("archives")
        try FileManager.default.createDirectory(at: archives, withIntermediateDirectories: false)
        // The server answers no more, so that the export waits for it.
        let id = try #require(server.id)
        kill(id, SIGSTOP)
        let export = try await device.start("session", "export", archives.appending(path: "a.zip").path())
        try await Limit("The export has begun").until {
            try !FileManager.default.contentsOfDirectory(atPath: archives.path()).isEmpty
        }
        export.signal(number)
        #expect(await export.ended() == 128 + number)
        #expect(try FileManager.default.contentsOfDirectory(atPath: archives.path()).isEmpty)
    }

    @Test("Trap: - is standard output elsewhere, and here a file of that name – it is refused") func standardOutput()
        async throws
    {
        let run = try await Device(folder, "device").run("session", "export", "-")
        #expect(run.status == 64 && run.output == "" && run.complaints.contains("Name a file"))
    }

    @Test("Offline, the archive contains this device’s data; a note names the missing parts, and the exit code is 7")
    func offline() async throws {
        let device = Device(folder, "device", server: try await folder.server().url)
        try await device.json("lists", "create", "Groceries")
        try await device.json("sync")
        let file = folder.file("archive.zip")
        let run = try await device.run("--json", "--offline", "session", "export", file.path(percentEncoded: false))
        #expect(run.status == 7 && run.complaints.contains("missing"))
        #expect(try run.json["complete"] == false)
        let data = try Data(contentsOf: file)
        #expect(data.starts(with: Data("PK".utf8)) && data.range(of: Data("lists/Groceries.ics".utf8)) != nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).count { $0.contains(".zip") } == 1)
        let nowhere = folder.file("no/archive.zip").path(percentEncoded: false)
        #expect(try await device.run("session", "export", nowhere).status == 5)
    }
}
