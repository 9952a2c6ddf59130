import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Inviting from the command line") struct InviteTests {
    private let folder = Folder()

    /// Syncs until an invitation of the device has a status.
    private func wait(_ device: Device, for status: JSON) async throws -> JSON {
        while true {
            try await device.json("sync")
            let found = try await device.json("invite")["invitations"].elements.first { $0["status"] == status }
            if let found, found["notified"] != .null { return found }
            try Task.checkCancellation()
        }
    }

    @Test("Ada invites Ben to a list by email; he registers, accepts, and is in the list", .timeLimit(.minutes(15)))
    func story() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let ben = Device(folder, "ben", server: server.url)
        try await phone.json("profile", "set", "--given", "Ada")
        try await phone.json("lists", "create", "Groceries")
        let made = try await phone.json("invite", "email", "ben@example.com", "--to", "Groceries", "--as", "viewer")
        #expect(made["results"].elements.first?["invitation"]["recipient"] == "mailto:ben@example.com")
        let sent = try await wait(phone, for: "pending")
        #expect(sent["listName"] == "Groceries" && sent["peer"] == .null)
        // The message waits in the server's queue.
        let table = try await phone.run("invite").output
        #expect(table.contains("pending") && !table.contains("Sent"), "\(table)")
        let again = try await phone.run("--json", "invite", "resend", "ben@example.com")
        #expect(again.status == 5)
        #expect(try again.error["code"] == "tooSoon")

        try await ben.json("profile", "set", "--given", "Ben")
        try await ben.json("session", "register", "ben@example.com")
        try await ben.json("session", "verify", try await folder.outbox.code(0))
        let received = try await wait(ben, for: "pending")
        #expect(received["peerName"] == "Ada" && received["direction"] == "received")
        try await ben.json("invite", "accept", "Ada")
        let accepted = try await wait(phone, for: "accepted")
        #expect(accepted["peerName"] == "Ben")
        try await ben.json("sync")
        #expect(try await ben.json("lists")["lists"].elements.map { $0["role"] } == ["viewer"])
        #expect(try await phone.json("network")["people"].elements.map { $0["name"] } == ["Ben"])

        // Of two invitations of one person, the one that waits for an answer is meant.
        try await phone.json("lists", "create", "Presents")
        try await phone.json("invite", "email", "ben@example.com", "--to", "Presents")
        _ = try await wait(ben, for: "pending")
        #expect(try await ben.json("invite", "accept", "Ada")["invitation"]["listName"] == "Presents")
    }

    @Test("An invitation that the user sends is composed; its link shows and accepts it", .timeLimit(.minutes(15)))
    func composed() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let grace = Device(folder, "grace", server: server.url)
        try await phone.json("profile", "set", "--given", "Ada")
        let composed = try await phone.json("invite", "compose", "grace@example.com", "--text", "Hello")
        let link = try #require(composed["link"].text)
        #expect(composed["text"].text == "Hello\n\n\(link)")
        #expect(composed["subject"].text?.isEmpty == false)
        let message = try await phone.json("invite", "compose", "+43 664 7654321")
        #expect(message["recipient"] == "+436647654321" && message["subject"] == .null)
        let offline = try await phone.json("--offline", "invite", "compose", "offline@example.com")
        #expect(offline["link"].text?.hasPrefix(server.url.absoluteString) == true, "The stored address is used.")
        let revoked = try await phone.run("invite", "revoke", "offline@example.com").output
        #expect(revoked.hasSuffix("To invite again: kith invite compose 'offline@example.com'\n"), "\(revoked)")
        try await phone.json("invite", "report", "grace@example.com")
        #expect(try await grace.json("invite", "open", link)["inviter"] == "Ada")
        try await grace.json("invite", "open", link, "--accept")
        #expect(try await grace.json("network")["people"].elements.map { $0["name"] } == ["Ada"])
        let used = try await phone.run("--json", "invite", "open", link, "--accept")
        #expect(used.status != 0)
        // Reported once more, after the acceptance.
        try await phone.json("sync")
        let report = try await phone.run("invite", "report", "grace@example.com")
        #expect(report.status == 0 && report.output.contains("has already accepted the invitation"))
        #expect(try await phone.json("rejections")["rejections"].elements.isEmpty)
    }

    @Test("The advice to invite again is a whole command") func advice() async throws {
        let device = Device(folder, "phone", server: URL(string: "http://127.0.0.1:1")!)
        try await device.json("--offline", "invite", "email", "grace@example.com")
        let again = try await device.run("--offline", "invite", "email", "grace@example.com")
        #expect(again.status == 5)
        #expect(
            again.complaints.hasSuffix(" The command: kith invite resend 'grace@example.com'\n"), "\(again.complaints)")
        let both = try await device.run("--offline", "invite", "email", "grace@example.com", "ada@example.com")
        #expect(both.output.contains("kith invite resend 'grace@example.com'\n"), "\(both.output)")
        let revoked = try await device.run("--offline", "invite", "revoke", "grace@example.com")
        #expect(
            revoked.output.hasSuffix("To send it again: kith invite resend 'grace@example.com'\n"), "\(revoked.output)")
    }

    @Test("A composed invitation is not sent until it is reported, and the commands say how to do that")
    func unreported() async throws {
        let phone = Device(folder, "phone", server: try await folder.server().url)
        let composed = try await phone.run("invite", "compose", "grace@example.com")
        let next = "kith invite report grace@example.com\n"
        #expect(composed.complaints == "Send this message yourself, then report it: \(next)")
        let before = try await phone.run("invite").output
        #expect(before.contains("not sent yet") && !before.contains("being sent"), "\(before)")
        #expect(before.hasSuffix("\nWhen you have sent it: \(next)"), "\(before)")
        try await phone.json("--offline", "invite", "report", "grace@example.com")
        let after = try await phone.run("invite").output
        #expect(after.contains("pending") && !after.contains("sent"), "\(after)")

        // A report is about the invitation of the same person that waits for one.
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("invite", "compose", "grace@example.com", "--to", "Groceries")
        let reported = try await phone.json("invite", "report", "grace@example.com")
        #expect(reported["invitation"]["purpose"] == "list")
        #expect(try await phone.run("invite").output.contains("kith invite report") == false)
    }

    @Test("An invitation to a list has the list's name before the server knows the invitation") func listName()
        async throws
    {
        let phone = Device(folder, "phone")
        try await phone.json("lists", "create", "Groceries")
        let invited = try await phone.run("invite", "email", "ben@example.com", "--to", "Groceries")
        #expect(invited.output.hasPrefix("Invited ben@example.com to “Groceries” as editor."), "\(invited.output)")
        let listed = try await phone.run("invite").output
        #expect(listed.contains("to “Groceries” as editor") && listed.contains("being sent"), "\(listed)")
    }

    @Test("An invitation has the chosen language, or that of the contact’s card") func languages() async throws {
        let device = Device(folder, "phone", server: URL(string: "http://127.0.0.1:1")!)
        func card(_ name: String, _ lines: String) -> String {
            "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:\(name)\r\nFN:\(name)\r\nEMAIL:\(name)@example.com\r\n\(lines)END:VCARD\r\n"
        }
        let cards =
            card("Two", "LANG;PREF=2:en\r\nLANG;PREF=1:fr-CA\r\n") + card("One", "LANG:es\r\n") + card("None", "")
            + card("Odd", "LANG:a language\r\n")
        try await device.json("--offline", "contacts", "add-source", try folder.write(cards, to: "c.vcf"))
        let chosen = try await device.json("--offline", "invite", "contact", "One", "--language", "de")
        #expect(chosen["results"].elements.first?["invitation"]["language"] == "de")
        for (name, language) in [("Two", "fr-CA"), ("None", nil), ("Odd", nil)] as [(String, String?)] {
            let invited = try await device.json("--offline", "invite", "contact", name)
            #expect(invited["results"].elements.first?["invitation"]["language"].text == language, "\(invited)")
        }
    }

    @Test("A command that fails does not store the region") func regions() async throws {
        let device = Device(folder, "phone", server: URL(string: "http://127.0.0.1:1")!)
        let region = try await device.json("--offline", "contacts", "sources")["region"]
        let failed = try await device.run("--offline", "invite", "phone", "12", "--region", "AT")
        #expect(failed.status == 64)
        #expect(try await device.json("--offline", "contacts", "sources")["region"] == region)
        let short = try await device.run("--offline", "invite", "phone", "112", "--region", "AT")
        #expect(short.status == 64 && short.complaints.contains("short number"), "\(short.complaints)")
        let letters = try await device.run("--offline", "invite", "phone", "0664 1234567 Bcc", "--region", "AT")
        #expect(letters.status == 64 && letters.complaints.contains("has letters"), "\(letters.complaints)")
        let made = try await device.json("--offline", "invite", "phone", "0664 1234567", "--region", "AT")
        #expect(made["results"].elements.first?["recipient"] == "tel:+436641234567")
        #expect(try await device.json("--offline", "contacts", "sources")["region"] == "AT")
    }

    @Test("Trap: Invitations go to landlines or short codes – candidates have an email or a mobile number, each once")
    func candidates() async throws {
        let device = Device(folder, "phone", server: URL(string: "http://127.0.0.1:1")!)
        func card(_ name: String, _ lines: String) -> String {
            "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:\(name)\r\nFN:\(name)\r\n\(lines)\r\nEND:VCARD\r\n"
        }
        let cards =
            card("Mobile", "TEL:+436641234567\r\nTEL:+43 664 1234567 ext. 12") + card("Landline", "TEL:+431234567")
            + card("Short", "TEL:112") + card("Mail", "EMAIL:mail@example.com\r\nTEL:+431234567")
        try await device.json(
            "--offline", "contacts", "add-source", try folder.write(cards, to: "c.vcf"), "--region", "AT")
        let found = try await device.json("--offline", "invite", "candidates")["candidates"].elements
        #expect(found.map { $0["name"] } == ["Mail", "Mobile"])
        #expect(
            found.map { $0["recipients"].elements.map(\.text) } == [["mailto:mail@example.com"], ["tel:+436641234567"]])
        try await device.json("--offline", "invite", "contact", "Mail", "--text", "Hi")
        let invited = try await device.json("--offline", "invite", "candidates")["candidates"].elements
        #expect(invited.map { $0["isInvited"] } == [true, false])
        let landline = try await device.run("--json", "--offline", "invite", "phone", "+431234567")
        #expect(landline.status == 64)
    }
}
