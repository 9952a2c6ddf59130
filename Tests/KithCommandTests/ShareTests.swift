import Foundation
import KithCommand
import KithModel
import Processes
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Sharing from the command line") struct ShareTests {
    private let folder = Folder()

    /// Makes a programme with these parts besides its name, title and text.
    private func makeProgramme(_ name: String = "friends", _ parts: String = "") async throws {
        let file = try folder.write(
            #"{"name": "\#(name)", "title": {"en": "Tea"}, "text": {"en": "Join us."}\#(parts)}"#, to: "\(name).json")
        let made = try await folder.admin("programme", "create", file)
        try #require(made.status == 0, "\(made.complaints)")
    }

    private static let rewards = """
        , "rewards": {"advocate": {"name": "tea", "title": {"en": "A week of tea"}},
                      "friend": {"name": "cup", "title": {"en": "A cup of tea"}}}
        """

    /// Syncs until the device has a record that fits.
    private func wait(
        _ device: Device, _ command: String, _ key: String, where fits: (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        while true {
            try await device.json("sync")
            if let found = try await device.json("share", command)[key].elements.first(where: fits) { return found }
            try Task.checkCancellation()
        }
    }

    @Test("The page of a code shows a wish list by its link, until the link is revoked") func wishes() async throws {
        let server = try await folder.server()
        try await makeProgramme()
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("lists", "create", "Wishes", "--kind", "wish")
        try await ada.json("items", "add", "Wishes", "Kite")
        let made = try await ada.json("lists", "public", "Wishes", "--ticks")
        let link = made["link"]
        #expect(link["canTick"] == true && link["public"] == true)
        let listed = try await ada.json("lists", "links", "Wishes")["links"].elements
        #expect(listed.map { $0["canTick"] } == [true])
        let lines = try await ada.run("lists", "links", "Wishes").output
        #expect(lines.contains("anyone, ticking"))

        try await ada.json("share", "link")
        let url = try #require(link["url"].text)
        let shared = try await ada.json("share", "edit", "--list-link", url)["shareable"]
        #expect(shared["list"] == link["token"])
        try await ada.json("sync")
        let address = try #require(shared["link"].text)
        let page = try #require(URL(string: address))
        let (before, _) = try await URLSession.shared.data(from: page)
        #expect(String(decoding: before, as: UTF8.self).contains("I give this"))
        let revoked = try await ada.run("lists", "revoke", "Wishes", "1")
        #expect(revoked.output.contains("Nobody can read “Wishes” by it any more."), "\(revoked.output)")
        let (after, _) = try await URLSession.shared.data(from: page)
        #expect(!String(decoding: after, as: UTF8.self).contains("Kite"))
    }

    @Test(
        "Ada shares her code, Ben joins with it, both are rewarded, and the funnel shows it",
        .timeLimit(.minutes(15)))
    func story() async throws {
        let server = try await folder.server()
        // They are faster than people.
        try await makeProgramme("friends", #", "guards": {"soonest-seconds": null}"# + Self.rewards)
        let ada = Device(folder, "ada", server: server.url)
        let ben = Device(folder, "ben", server: server.url)
        try await ada.json("profile", "set", "--given", "Ada")
        try await ben.json("profile", "set", "--given", "Ben")
        let made = try await ada.json("share", "link")
        #expect(made["shareable"]["programme"] == "friends" && made["shareable"]["isReady"] == true)
        let chosen = try await ada.json("share", "code", "ada-tea")
        #expect(chosen["shareable"]["code"] == "ADA-TEA" && chosen["shareable"]["id"] == made["shareable"]["id"])
        let link = try #require(chosen["shareable"]["link"].text)
        #expect(link == "\(server.url.absoluteString)/s/ADA-TEA")
        try await ada.json("share", "note", "--by", "message")

        let used = try await ben.json("share", "use", link)
        #expect(used["claim"]["code"] == "ADA-TEA" && used["claim"]["status"] == "open")
        #expect(try await ben.run("share", "claims").output.contains("waits until you sign up"))
        try await ben.json("session", "register", "ben@example.com")
        try await ben.json("session", "verify", try await folder.outbox.code(0))
        let claim = try await wait(ben, "claims", "claims") { $0["status"] != "open" }
        #expect(claim["status"] == "bound" && claim["advocateName"] == "Ada")
        let referral = try await wait(ada, "referrals", "referrals") { $0["state"] == "granted" }
        #expect(referral["basis"] == "code" && referral["programme"] == "friends")
        #expect(try await wait(ada, "rewards", "rewards")["title"] == "A week of tea")
        #expect(try await wait(ben, "rewards", "rewards")["side"] == "friend")

        #expect(try await ben.run("--offline", "share", "use", "CLEO-TEA").status == 0)
        #expect(try await ben.run("--offline", "share", "claims").output.contains("waits for the server’s answer"))

        let totals = try await folder.admin("funnel", "--json").json["totals"]
        #expect(totals["shared"] == 1 && totals["joined"] == 1 && totals["rewarded"] == 1)
        let plot = try await folder.admin("funnel")
        #expect(plot.output.contains("rewarded  1  ") && plot.output.contains("Channel"), "\(plot.output)")
        let csv = try await folder.admin("funnel", "--csv", "--days", "2")
        let head = "programme,day,channel,shared,visited,joined,rewarded\r\n"
        #expect(csv.output.hasPrefix(head + "friends,"), "\(csv.output)")
        #expect(try await folder.admin("funnel", "--programme", "none").status == 6)
    }

    @Test("A code that is taken, reserved, illegal or too short has an error of its own", .timeLimit(.minutes(15)))
    func codes() async throws {
        let server = try await folder.server()
        try await makeProgramme("friends", #", "codes": {"shortest": 5, "reserved": ["admin"]}"#)
        let ada = Device(folder, "ada", server: server.url)
        let ben = Device(folder, "ben", server: server.url)
        try await ada.json("share", "code", "ADA-TEA")
        let before = try await ben.json("share", "link")["shareable"]["code"]
        for (typed, status, code) in [
            ("ada tea", 5, "codeTaken"), ("ADMIN-1", 5, "codeReserved"), ("TEE!", 64, "codeIllegal"),
            ("TEE4", 64, "codeLength"),
        ] as [(String, Int32, JSON)] {
            let run = try await ben.run("--json", "share", "code", typed)
            #expect(run.status == status, "\(typed): \(run.complaints)")
            #expect(try run.error["code"] == code, "\(typed)")
            if code == "codeTaken" {
                #expect(try run.error["sentence"].text?.hasPrefix("The code ADA-TEA was refused: ") == true)
            }
        }
        #expect(try await ben.json("rejections")["rejections"].elements.isEmpty, "The command has said it all.")
        #expect(try await ben.json("share")["shareables"].elements.map { $0["code"] } == [before])
        let own = try await ada.run("--json", "share", "use", "ada-tea")
        #expect(own.status == 5)
        #expect(try own.error["code"] == "yourOwn")
    }

    @Test("Without a programme nothing is shared; of several, one has to be named", .timeLimit(.minutes(15)))
    func programmes() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        let none = try await ada.run("--json", "share", "link")
        #expect(none.status == 6)
        #expect(try none.error["code"] == "noProgramme")
        try await makeProgramme("friends")
        #expect(try await ada.json("share", "link")["shareable"]["programme"] == "friends")
        try await makeProgramme("gifts")
        let known = try await ada.json("share", "programmes")["programmes"].elements
        #expect(known.map { $0["name"] } == ["friends", "gifts"])
        let several = try await ada.run("--json", "share", "link")
        #expect(several.status == 64)
        #expect(try several.error["candidates"].elements == ["friends", "gifts"])
        #expect(try await ada.json("share", "link", "--programme", "gifts")["shareable"]["programme"] == "gifts")
        let wrong = try await ada.run("--json", "share", "link", "--programme", "gift")
        #expect(wrong.status == 6)
        #expect(try wrong.error["code"] == "noProgramme")
        // A paused programme is not chosen for somebody.
        #expect(try await folder.admin("programme", "pause", "gifts").status == 0)
        try await ada.json("share", "programmes")
        #expect(try await ada.json("share", "link")["shareable"]["programme"] == "friends")
    }

    @Test("A link is made and shown offline, and the device remembers its programme") func offline() async throws {
        let ada = Device(folder, "ada", server: URL(string: "http://127.0.0.1:1"))
        let unknown = try await ada.run("--json", "--offline", "share", "link")
        #expect(unknown.status == 64)
        let made = try await ada.json("--offline", "share", "link", "--programme", "friends")
        let code = try #require(made["shareable"]["code"].text)
        #expect(made["link"].text == "http://127.0.0.1:1/s/\(code)" && made["shareable"]["isReady"] == false)
        let forSheet = try await ada.json("--offline", "share", "link", "--by", "sheet")["link"]
        #expect(forSheet.text == "http://127.0.0.1:1/s/\(code)?c=sheet")
        let recipe = try await ada.json("--offline", "share", "link", "--key", "recipe-17")["shareable"]
        #expect(recipe["key"] == "recipe-17" && recipe["id"] != made["shareable"]["id"])
        try await ada.json(
            "--offline", "share", "edit", "--of", "recipe-17", "--label", "Soup", "--values", #"{"page": 3}"#)
        let edited = try await ada.json("--offline", "share", "select", "Soup")["shareable"]
        #expect(edited["values"]["page"] == 3 && edited["id"] == recipe["id"])
        #expect(try await ada.json("--offline", "share", "link")["shareable"]["id"] == recipe["id"])
        let noted = try await ada.json("--offline", "share", "note", "--to", "Ben@example.com")["share"]
        #expect(noted["shareable"] == recipe["id"] && noted["recipient"] == "mailto:ben@example.com")
        #expect(noted["channel"] == "link" && noted["status"] == "shared")
        try await ada.json("--offline", "share", "remove", "Soup")
        #expect(try await ada.json("--offline", "share")["shareables"].elements.count == 1)
        let mistaken = try await ada.run("--json", "--offline", "share", "remove", "Soop")
        #expect(mistaken.status == 6)
    }

    @Test("Trap: logged out, sharing says that the server cannot be reached – it says that there is no session")
    func loggedOut() async throws {
        let ada = Device(folder, "ada", server: try await folder.server().url)
        try await ada.json("session", "new")
        try await ada.json("session", "logout", "--yes")
        for command in [["link"], ["code", "ADA-TEA"], ["programmes"]] {
            let run = try await ada.run(["--json", "share"] + command)
            #expect(run.status == 4, "\(run.complaints)")
            #expect(try run.error["code"] == "unauthorized")
        }
        // A programme that is named need not be known.
        try await ada.json("--offline", "share", "link", "--programme", "friends")
    }

    @Test("A mistake is named by the word that was typed, with the rule and the next step") func mistakes()
        async throws
    {
        let ada = Device(folder, "ada", server: URL(string: "http://127.0.0.1:1"))
        let unreachable = try await ada.run("--json", "share", "link")
        #expect(unreachable.status == 3)
        #expect(try unreachable.error["code"] == "offline")
        try await ada.json("--offline", "share", "code", "ADA-TEA", "--programme", "friends")
        let values = try await ada.run("--offline", "share", "edit", "--values", "[1]")
        let noObject = "--values is not a JSON object"
        #expect(values.status == 64 && values.complaints.contains(noObject), "\(values.complaints)")
        let event = try await ada.run("--offline", "share", "event", "order", "--values", "[]")
        #expect(event.status == 64 && event.complaints.contains(noObject), "\(event.complaints)")
        let channel = try await ada.run("--offline", "share", "compose", "--by", "Bad Ch")
        #expect(channel.status == 64 && channel.complaints.contains("1 to 32 of a-z"), "\(channel.complaints)")
        let own = try await ada.run("--offline", "share", "code", "ada tea", "--key", "recipe-17")
        #expect(own.status == 5 && own.complaints.contains("already your code for"), "\(own.complaints)")
        let secret = "http://127.0.0.1:1/v1/links/abc"
        let list = try await ada.run("--offline", "share", "edit", "--list-link", secret)
        #expect(list.status == 64 && list.complaints.contains("not the public link of a list"), "\(list.complaints)")
        let unknown = try await ada.run("--offline", "share", "select", "0000")
        #expect(unknown.complaints.contains("To see them all: kith share"), "\(unknown.complaints)")
        let used = try await ada.run("--offline", "share", "use", "NO-SUCH-CODE-1")
        #expect(used.output.contains("If somebody has this code"), "\(used.output)")
        let recorded = try await ada.run("--offline", "share", "event", "order")
        #expect(recorded.output.contains("It counts if the programme rewards it."), "\(recorded.output)")
    }

    @Test("The QR code of a link is drawn; --no-qr leaves it out") func drawn() async throws {
        let ada = Device(folder, "ada", server: URL(string: "http://127.0.0.1:1"))
        let drawn = try await ada.run("--offline", "share", "link", "--programme", "friends")
        let lines = drawn.output.split(separator: "\n")
        #expect(lines.first?.allSatisfy { $0 == "█" } == true, "\(drawn.output)")
        let plain = try await ada.run("--offline", "share", "link", "--no-qr")
        #expect(!plain.output.contains("█") && plain.output.contains("/s/"), "\(plain.output)")
        let link = try #require(plain.output.split(separator: "\n").last)
        #expect(drawn.output.hasSuffix("\(link)\n"))
    }

    @Test("kith watch reports what is shared", .timeLimit(.minutes(15))) func watched() async throws {
        let ada = Device(folder, "ada")
        let process = try await ada.start("watch", "--json")
        let made = try await ada.json("share", "link", "--programme", "friends")["shareable"]
        #expect(made["link"] == .null && made["isReady"] == false)
        let line = await process.lines.first { $0.contains(#""collection":"shareable""#) }
        let news = try JSON(parsing: line ?? "")
        #expect(news["added"].elements.map { $0["code"] } == [made["code"]])
        process.signal(SIGINT)
        #expect(await process.ended() == 0)
    }

    @Test("Several emails have a result each; the server sends them and says so in the share", .timeLimit(.minutes(15)))
    func emails() async throws {
        let server = try await folder.server()
        try await makeProgramme(
            "friends", #", "shares": {"email": {"subject": {"en": "From {{name}}"}, "text": {"en": "Try it."}}}"#)
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("profile", "set", "--given", "Ada")
        let wrong = try await ada.run("--json", "share", "email", "ben@example.com", "nobody")
        #expect(wrong.status == 64)
        #expect(try await ada.json("share", "shares")["shares"].elements.isEmpty)
        let results = try await ada.json("share", "email", "ben@example.com", "cleo@example.com")["results"].elements
        #expect(results.map { $0["recipient"] } == ["mailto:ben@example.com", "mailto:cleo@example.com"])
        #expect(results.allSatisfy { $0["error"] == .null && $0["share"]["channel"] == "email" })
        for recipient in ["mailto:ben@example.com", "mailto:cleo@example.com"] as [JSON] {
            _ = try await wait(ada, "shares", "shares") { $0["recipient"] == recipient && $0["status"] == "sent" }
        }
        let table = try await ada.run("share", "shares").output
        #expect(table.contains("accepted for delivery"), "\(table)")
        let composed = try await ada.json("share", "compose", "--by", "message")
        #expect(composed["text"] == composed["link"] && composed["subject"] == .null)
    }

    @Test("In a paused programme a command says what does not happen; resumed, it sends", .timeLimit(.minutes(15)))
    func paused() async throws {
        let server = try await folder.server()
        try await makeProgramme()
        let ada = Device(folder, "ada", server: server.url)
        #expect(try await ada.json("share", "link")["isPaused"] == false)
        #expect(try await folder.admin("programme", "pause", "friends").status == 0)
        let email = try await ada.run("--json", "share", "email", "ben@example.com")
        #expect(email.status == 5)
        #expect(try email.error["code"] == "paused")
        let sentence = "The programme “friends” is paused."
        let link = try await ada.run("share", "link", "--no-qr")
        #expect(link.status == 0 && link.output.contains(sentence), "\(link.output)")
        let noted = try await ada.run("share", "note")
        #expect(noted.status == 0 && noted.output.contains(sentence), "\(noted.output)")
        let composed = try await ada.run("share", "compose", "--by", "message")
        #expect(composed.complaints.contains("is paused") && !composed.output.contains("is paused"))
        #expect(try await folder.admin("programme", "resume", "friends").status == 0)
        let results = try await ada.json("share", "email", "cleo@example.com")["results"].elements
        #expect(results.map { $0["recipient"] } == ["mailto:cleo@example.com"])
        _ = try await wait(ada, "shares", "shares") { $0["status"] == "sent" }
        let emails = try await ada.json("share", "shares")["shares"].elements.filter { $0["channel"] == "email" }
        #expect(emails.map { $0["recipient"] } == ["mailto:cleo@example.com"])
    }

    @Test("Held rewards are listed with reasons, and released or refused, also in bulk", .timeLimit(.minutes(15)))
    func held() async throws {
        let server = try await folder.server()
        try await makeProgramme("friends", #", "guards": {"holding-days": 3, "soonest-seconds": null}"# + Self.rewards)
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("share", "code", "ADA-TEA")
        for (index, name) in ["ben", "cleo", "dora"].enumerated() {
            let friend = Device(folder, name, server: server.url)
            try await friend.json("share", "use", "ADA-TEA")
            try await friend.json("session", "register", "\(name)@example.com")
            try await friend.json("session", "verify", try await folder.outbox.code(index))
        }
        var all: [JSON] = []
        while all.count < 3 {
            all = try await folder.admin("referrals", "--held", "--json").json["referrals"].elements
            try Task.checkCancellation()
        }
        #expect(all.allSatisfy { $0["reasons"].elements.contains("holding") && $0["state"] == "held" })
        #expect(Set(all.map { $0["friend"] }).count == 3 && all.allSatisfy { $0["until"] != .null })
        let listed = try await folder.admin("referrals")
        #expect(listed.output.contains("holding: The programme holds rewards for some days."), "\(listed.output)")

        let ids = all.compactMap { $0["id"].text }
        let released = try await folder.admin("referrals", "release", ids[0], "--json")
        #expect(try released.json["decisions"].elements.map { $0["result"] } == ["done"])
        #expect(try await wait(ada, "rewards", "rewards")["name"] == "tea")
        let again = try await folder.admin("referrals", "refuse", ids[0], "--json")
        #expect(try again.json["decisions"].elements.map { $0["result"] } == ["unchanged"] && again.status == 0)

        let waiting = try await folder.admin("referrals", "--held", "--reason", "holding", "--json")
        #expect(try waiting.json["referrals"].elements.count == 2)
        #expect(try await folder.admin("referrals", "--reason", "velocity").output == "There are no such referrals.\n")
        let unconfirmed = try await folder.admin("referrals", "refuse", "--all", "--reason", "holding")
        #expect(unconfirmed.status == 64 && unconfirmed.complaints.contains("2 referrals"), "\(unconfirmed.complaints)")
        let none = try await folder.admin("referrals", "refuse", "--all", "--reason", "velocity", "--yes")
        #expect(none.output == "Refused 0 referrals.\n")
        let refused = try await folder.admin("referrals", "refuse", "--all", "--reason", "holding", "--yes", "--json")
        #expect(try refused.json["decisions"].elements.map { $0["result"] } == ["done", "done"])
        let rest = try await folder.admin("referrals", "--refused", "--json").json["referrals"].elements
        #expect(rest.count == 2 && rest.allSatisfy { $0["isByOperator"] == true })
        let unknown = try await folder.admin("referrals", "release", UUID().uuidString, "--json")
        #expect(unknown.status == 6)
        #expect(try await folder.admin("referrals", "release", "0000").status == 6)
        #expect(try await folder.admin("referrals", "release").status == 64)
    }
}
