import Foundation
import KithCommand
import KithModel
import KithServer
import Processes
import Testing

@Suite("Signing in with a phone number, from the command line") struct PhoneSignInTests {
    private static let flags = ["--sms-url", "files", "--sms-countries", "AT", "--sms-countries", "CH"]
    private let folder = Folder()

    @Test("A number in a country’s notation is registered; a second device switches to its account and renames it")
    func registering() async throws {
        let server = try await folder.server(flags: Self.flags)
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        let registered = try await phone.json(
            "session", "register", "--phone", "0664 1234567", "--country", "at", "--name", "Ada Nowak", "--device",
            "Ada's phone")
        #expect(registered["identity"] == "tel:+436641234567")
        let first = try await phone.json("session", "verify", try await folder.outbox.code(0))
        #expect(first["identity"] == "tel:+436641234567" && first["isOtherAccount"] == false)
        #expect(try await phone.json("profile", "show")["profile"]["given"] == "Ada Nowak")
        try await phone.json("sync")
        let wait = try await phone.run("--json", "session", "register", "+43 664 1234567")
        #expect(wait.status == 3, "A code can be requested once a minute.")

        let shown = try await phone.json("session", "identities")["identities"].elements
        #expect(shown.map { $0["identity"] } == ["tel:+436641234567"])
        try await phone.json("session", "identities", "--remove", "+43 664 1234567", "--last")
        #expect(try await phone.json("session", "show")["state"] == "anonymous")

        // The operator adds the number. A code for it could be requested only once a minute.
        let account = try #require(first["account"].text)
        try await folder.addIdentity("+436649876543", to: account)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("session", "register", "--phone", "+43 664 9876543", "--name", "Ada Lovelace")
        let second = try await tablet.json("session", "verify", try await folder.outbox.code(1), "--keep")
        #expect(second["account"].text == account && second["isOtherAccount"] == true)
        try await tablet.json("sync")
        try await phone.json("sync")
        for device in [phone, tablet] {
            let profile = try await device.json("profile", "show")["profile"]
            #expect(profile["given"] == "Ada Lovelace" && profile["family"].text == nil)
        }
        #expect(try await tablet.json("lists")["lists"].elements.map { $0["name"] } == ["Groceries"])
    }

    @Test("Other people’s discovery finds a proved number") func discovery() async throws {
        let server = try await folder.server(flags: Self.flags)
        let (ada, ben) = (Device(folder, "ada", server: server.url), Device(folder, "ben", server: server.url))
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:1\r\nFN:Ada\r\nTEL:0664 123 45 67\r\nEND:VCARD\r\n"
        try await ben.json("contacts", "add-source", try folder.write(card, to: "cards.vcf"), "--region", "AT")
        #expect(try await ben.json("discover")["matches"].elements.isEmpty)
        try await ada.json("session", "register", "+436641234567")
        let proved = try await ada.json("session", "verify", try await folder.outbox.code(0))
        let found = try await ben.json("discover", "--again")["matches"].elements
        #expect(found.map { $0["account"] } == [proved["account"]])
    }

    @Test("The countries are listed in the wanted language, with calling code, flag and example")
    func countries() async throws {
        let server = try await folder.server(flags: Self.flags)
        let device = Device(folder, "device", server: server.url)
        let listed = try await device.json("session", "countries", "--language", "de")["countries"].elements
        #expect(listed.map { $0["name"] } == ["Österreich", "Schweiz"])
        #expect(listed.map { $0["callingCode"] } == [43, 41] && listed.map { $0["flag"] } == ["🇦🇹", "🇨🇭"])
        #expect(listed.map { $0["example"] } == ["0664 123456", "078 123 45 67"])
        let shown = try await device.run("session", "countries")
        #expect(shown.status == 0 && shown.output.contains("Austria") && shown.output.contains("+43"))
    }

    @Test("Numbers that cannot get a code are refused with the reason; without SMS, the error names the setting")
    func refused() async throws {
        let server = try await folder.server(flags: Self.flags)
        let device = Device(folder, "device", server: server.url)
        for (number, status, words) in [
            ("+13015550123", 5, "of US"), ("+43 1 234 56 78", 5, "not a mobile number"),
            ("+43 900 123456", 5, "not a mobile number"), ("0664 1234567", 64, "--country"),
        ] as [(String, Int32, String)] {
            let run = try await device.run("session", "register", "--phone", number)
            #expect(
                run.status == status && run.complaints.contains(words), "\(number): \(run.status) \(run.complaints)")
        }
        let short = try await device.run("session", "register", "--phone", "133", "--country", "AT")
        #expect(short.status == 5 && short.complaints.contains("not a phone number"), "\(short.complaints)")

        let other = Folder()
        let plain = try await other.server()
        let lost = Device(other, "device", server: plain.url)
        let run = try await lost.run("session", "register", "--phone", "+436641234567")
        #expect(run.complaints.contains("sms-url"), "\(run.complaints)")
        #expect(try await lost.json("session", "countries")["countries"].elements.isEmpty)
    }

    @Test("The operator sees and releases a paused prefix, and no other") func pausedPrefixes()
        async throws
    {
        let path = folder.file("server.sqlite").path()
        let database = try SQLiteDatabase(path: path)
        let pause = PausedPrefix(
            prefix: try #require(NumberPrefix("+43664123")), since: Timestamp(.now), entered: 3, judged: 50)
        try await database.write { try pause.insert(in: $0) }
        func admin(_ arguments: String...) async throws -> Program.Run {
            try await folder.admin(["sms"] + arguments)
        }
        let shown = try await admin()
        #expect(shown.status == 0 && shown.output.contains("+43664123…") && shown.output.contains("3 of 50"))
        #expect(try await admin("release", "+43664123…").status == 0)
        #expect(try await admin("release", "+43664123").status == 6)
        #expect(try await admin("release", "43").status == 64)
        #expect(try await admin().output.contains("No prefix is paused."))
    }
}
