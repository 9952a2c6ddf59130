import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("kith profile and kith network") struct NetworkTests {
    let folder = Folder()
    private static let stranger = "01900000-0000-7000-8000-000000000002"

    @Test("shows and changes a profile without a server, and what others see of it") func profile() async throws {
        let device = Device(folder, "device")
        try await device.json(
            "profile", "set", "--given", "Ada", "--family", "Byron", "--phone", "+41 44 668 18 00 home", "--phone",
            "+43 664 5550101", "--email", "ada@example.org", "--status", "Here")
        let profile = try await device.json("profile", "set", "--clear", "status", "--country", "GB")["profile"]
        #expect(profile["name"] == "Ada Byron")
        #expect(profile["status"] == .null)
        #expect(profile["phones"].elements.map { $0["value"] } == ["+41 44 668 18 00", "+43 664 5550101"])
        #expect(profile["phones"].elements.map { $0["label"] } == ["home", .null])
        #expect(profile["visibility"]["phones"] == "network")
        #expect(try await device.json("profile", "--as", "everyone")["profile"]["phones"].elements.isEmpty)
        try await device.json("profile", "visibility", "phones", "everyone", "--listed", "--not-discoverable")
        #expect(try await device.json("profile", "show", "--as", "everyone")["profile"]["phones"].elements.count == 2)
        let changed = try await device.json("profile")["profile"]
        #expect(changed["listed"] == true && changed["discoverable"] == false)
        let lines = try await device.run("profile").output
        #expect(lines.contains("Given name   Ada"))
        #expect(lines.contains("You have no account yet"))
        #expect(try await device.run("profile", "visibility", "presence", "everyone").status == 64)
        #expect(try await device.run("profile", "set").status == 64)
        #expect(try await device.run("--json", "profile", "set", "--country", "Austria").error["code"] == "invalid")
        // A part has one word in `set` and one in JSON: each command takes both.
        try await device.json("profile", "set", "--job", "Engineer", "--time-zone", "Europe/London")
        let shown = try await device.json("profile", "visibility", "job", "everyone")["profile"]["visibility"]
        #expect(shown["jobTitle"] == "everyone")
        #expect(try await device.json("profile", "set", "--clear", "timeZone")["profile"]["timeZone"] == .null)
    }

    @Test("sets, shows and empties each field of a profile by its word, except the picture") func fields() async throws
    {
        let device = Device(folder, "device")
        let empty = try await device.json("profile")["profile"]
        for field in Profile.allFields where field.part != .picture {
            let name = field.part.rawValue
            let text =
                switch field.form {
                case .any: "x"
                case .languageTag: "de-AT"
                case .countryCode: "AT"
                case .zoneName: "Europe/Vienna"
                case .phoneNumber: "+43 664 5550101"
                case .emailAddress: "ada@example.org"
                case .webSite: "https://example.org"
                }
            let full = try await device.json("profile", "set", "--\(field.word)", text)["profile"]
            #expect(full[name] != empty[name])
            let lines = try await device.run("profile").output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("\(field.label)  \(text)  ") })
            #expect(try await device.json("profile", "set", "--clear", field.word)["profile"] == empty)
        }
        #expect(try await device.run("profile", "set", "--clear", "picture").status == 64)
    }

    @Test("checks a picture's size and kind, and never decodes it") func picture() async throws {
        let device = Device(folder, "device")
        let text = try folder.write("no picture", to: "text.png")
        #expect(try await device.run("profile", "picture", text).status == 64)
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        try png.write(to: folder.file("small.png"))
        try (png + Data(count: Limits.smallPicture)).write(to: folder.file("large.png"))
        let single = try await device.run("profile", "picture", folder.file("large.png").path())
        #expect(single.status == 64)
        #expect(single.complaints.contains("--small FILE --large"))
        let answer = try await device.json(
            "profile", "picture", "--small", folder.file("small.png").path(), "--large", folder.file("large.png").path()
        )
        #expect(answer["profile"]["picture"]["small"].text?.count == 64)
        #expect(try await device.json("profile", "picture", "--remove")["profile"]["picture"] == .null)
        #expect(try await device.run("profile", "picture").status == 64)
        #expect(try await device.run("profile", "picture", "nowhere.png").status == 7)
    }

    @Test("sends requests, blocks and mutes offline; empty states and mistakes say what to do next") func offline()
        async throws
    {
        let device = Device(folder, "device")
        #expect(try await device.run("network").output.contains("kith network connect ACCOUNT"))
        #expect(try await device.run("network", "list", "--requests").output == "Nobody waits for your answer.\n")
        let unknown = try await device.run("--json", "network", "connect", "Ada")
        #expect(unknown.status == 6)
        #expect(try unknown.error["code"] == "notFound")
        #expect(unknown.complaints.contains("kith network search --directory"))
        let asked = try await device.json("network", "connect", Self.stranger.uppercased())
        #expect(asked["contact"]["relation"] == "sent")
        #expect(try await device.json("network", "mute", "01900000", "--for", "8h")["contact"]["muted"] == true)
        let until = try await device.json("network", "mute", "01900000", "--until", "2099-12-24T08:00")
        #expect(until["contact"]["mutedUntil"] == "2099-12-24T08:00:00.000Z")
        #expect(try await device.run("network", "mute", "01900000", "--until", "2099-13-24").status == 64)
        #expect(try await device.run("network", "mute", "01900000", "--until", "2019-12-24").status == 64)
        #expect(try await device.run("--json", "network", "accept", "01900000").error["code"] == "noRequest")
        #expect(try await device.run("network", "accept", "01900000").status == 6)
        #expect(try await device.json("network", "block", "01900000")["contact"]["blocked"] == true)
        #expect(try await device.json("network", "list", "--blocked")["people"].elements.count == 1)
        try await device.json("network", "unblock", "01900000")
        try await device.json("network", "unmute", "01900000")
        #expect(try await device.json("network", "cancel", "01900000")["contact"] == .null)
        #expect(try await device.json("network", "list", "--all")["people"].elements.isEmpty)
        #expect(try await device.run("session", "delete", "--yes").status == 3)
        #expect(try await device.run("network", "search", "").status == 64)
    }

    @Test("shows the end of the account id for someone without a name, and accepts it as a name") func shortID()
        async throws
    {
        let device = Device(folder, "device")
        let other = "01900000-0000-7000-8000-0000deadbeef"
        try await device.json("network", "connect", Self.stranger)
        let asked = try await device.run("network", "connect", other)
        #expect(asked.output.contains("Asked account deadbeef."))
        let listed = try await device.run("network", "list", "--sent").output
        #expect(listed.contains("deadbeef") && listed.contains("00000002") && !listed.contains("01900000"))
        #expect(try await device.run("network", "cancel", "01900000").status == 6)
        #expect(try await device.run("network", "cancel", "deadbeef").output == "You no longer ask account deadbeef.\n")
        #expect(try await device.json("network", "cancel", "01900000")["account"].text == Self.stranger)
    }

    @Test("shows nothing about a stranger without the server, and says why") func strangerOffline() async throws {
        let device = Device(folder, "device")
        let without = try await device.run("--json", "network", "show", Self.stranger)
        #expect(without.status == 3)
        #expect(try without.error["sentence"].text?.contains("--server") == true)
        let server = try #require(URL(string: "http://127.0.0.1:9"))
        let offline = try await Device(folder, "device", server: server).run(
            "--json", "--offline", "network", "show", Self.stranger)
        #expect(offline.status == 3)
        #expect(try offline.error["code"] == "offline")
    }

    /// Tries again until it is so: what reaches others goes through a job of the server's.
    private func until(_ isSo: () async throws -> Bool) async throws {
        for _ in 0..<100 {
            if try await isSo() { return }
        }
        Issue.record("It has not become so.")
    }

    private func connect(_ server: URL) async throws -> (ada: Device, grace: Device, adaID: String, graceID: String) {
        let ada = Device(folder, "ada", server: server)
        let grace = Device(folder, "grace", server: server)
        try await ada.json("profile", "set", "--given", "Ada", "--country", "GB")
        try await grace.json("profile", "set", "--given", "Grace", "--status", "At sea")
        for device in [ada, grace] { try await device.json("sync") }
        let adaID = try #require(try await ada.json("profile")["account"].text)
        let graceID = try #require(try await grace.json("profile")["account"].text)
        return (ada, grace, adaID, graceID)
    }

    @Test("two people connect, see changes of each other's profile, and disconnect") func connecting() async throws {
        let server = try await folder.server()
        let (ada, grace, adaID, graceID) = try await connect(server.url)
        #expect(try await ada.run("--json", "network", "connect", adaID).error["code"] == "yourself")
        let unknown = try await ada.run("--json", "network", "block", Self.stranger)
        #expect(unknown.status == 5)
        #expect(unknown.complaints.contains("unknown"))
        #expect(try await ada.run("rejections").output.contains("block account 00000002"))
        try await ada.json("rejections", "dismiss", "--all")

        try await ada.json("network", "connect", graceID)
        try await ada.json("sync")
        try await grace.json("sync")
        let waiting = try await grace.json("network", "list", "--requests")
        #expect(waiting["people"].elements.map { $0["given"] } == ["Ada"])
        #expect(try await grace.run("network").output.contains("1 person waits for your answer"))
        #expect(try await ada.run("--json", "network", "resend", "Grace").error["code"] == "tooSoon")
        let notYet = try await ada.run("network", "remove", "Grace")
        #expect(notYet.status == 6 && notYet.complaints.contains("not connected with Grace. To take your request back"))
        #expect(try await grace.json("network", "accept", "ada")["contact"]["relation"] == "connected")
        try await grace.json("sync")
        try await ada.json("sync")
        let people = try await ada.json("network")["people"].elements
        #expect(people.map { $0["status"] } == ["At sea"])
        #expect(try await ada.run("--json", "network", "connect", "Grace").error["code"] == "alreadyConnected")
        #expect(try await ada.json("network", "search", "gra")["people"].elements.count == 1)

        // What is only fetched when it is looked at: details, a picture, the directory.
        let shown = try await grace.json("network", "show", "Ada")
        #expect(shown["person"]["country"] == "GB" && shown["person"]["complete"] == true)
        #expect(shown["presence"]["state"] == "offline")
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
        try png.write(to: folder.file("ada.png"))
        try await ada.json("profile", "picture", folder.file("ada.png").path())
        try await ada.json("profile", "visibility", "--listed")
        try await ada.json("sync")
        #expect(try await ada.json("rejections")["rejections"].elements.isEmpty)
        try await until {
            try await grace.json("sync")
            return try await grace.json("network")["people"].elements.first?["picture"] != .null
        }
        let copy = folder.file("copy.png")
        try await grace.json("network", "show", "Ada", "--picture", copy.path())
        #expect(try Data(contentsOf: copy) == png)
        #expect(try await grace.json("--offline", "network", "show", "Ada")["person"]["country"] == "GB")
        let picture = folder.file("missing.png").path()
        let fresh = Device(folder, "fresh", server: server.url)
        try await fresh.json("session", "use", try await grace.token())
        let missing = try await fresh.run("--json", "--offline", "network", "show", "Ada", "--picture", picture)
        #expect(missing.status == 3)
        #expect(try missing.error["sentence"].text?.contains("Repeat the command without --offline") == true)
        let found = try await grace.json("network", "search", "--directory", "ad")["people"].elements
        #expect(found.map { $0["account"].text } == [adaID])

        try await ada.json("network", "remove", "Grace")
        try await ada.json("sync")
        try await grace.json("sync")
        for device in [ada, grace] { #expect(try await device.json("network")["people"].elements.isEmpty) }
        #expect(try await grace.json("network")["pending"] == 0)
        #expect(try await ada.json("session", "delete", "--yes")["deleted"].text == adaID)
        #expect(try await ada.json("session")["state"] == "loggedOut")
        #expect(try await grace.run("network", "show", adaID).status == 6)
    }

    @Test(
        "kith watch reports people: requests, acceptances and changes",
        .timeLimit(.minutes(15)))
    func watching() async throws {
        let server = try await folder.server()
        let (ada, grace, adaID, _) = try await connect(server.url)
        let watch = try await ada.start("watch", "--json")
        var news = watch.lines.map { try JSON(parsing: $0) }
            .filter { $0["collection"] == "contact" }.makeAsyncIterator()
        try await grace.json("network", "connect", adaID)
        let asked = try #require(try await news.next())
        #expect(asked.keys == ["collection", "origin", "added", "removed", "modified"])
        #expect(asked["origin"] == "server")
        #expect(asked["added"].elements.map { $0["relation"] } == ["received"])
        #expect(asked["added"].elements.map { $0["name"] } == ["Grace"])
        // Another kith in the same folder.
        try await ada.json("--offline", "network", "accept", "Grace")
        let accepted = try #require(try await news.next())
        #expect(accepted["origin"] == "elsewhere")
        #expect(accepted["modified"].elements.map { $0["relation"] } == ["connected"])
        try await until {
            try await grace.json("sync")
            return try await grace.json("network")["people"].elements.count == 1
        }
        try await grace.json("profile", "set", "--status", "Ashore")
        var status: JSON = .null
        while status != "Ashore", let piece = try await news.next() {
            if let contact = piece["modified"].elements.first { status = contact["status"] }
        }
        #expect(status == "Ashore")
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }

    @Test("The first command of a device says nothing of a missing account, because sending it opens one") func first()
        async throws
    {
        let device = Device(folder, "device", server: try await folder.server().url)
        let set = try await device.run("profile", "set", "--given", "Ada")
        #expect(set.status == 0 && set.output.contains("Ada"), "\(set.output)")
        #expect(!set.output.contains("no account"), "\(set.output)")
        #expect(try await device.run("profile").output.contains(try await device.account()))
    }

    @Test("Trap: A closed account is promised another try – nothing of it is sent any more, and status says so")
    func closed() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("sync")
        let account = try await ada.account()
        #expect(try await folder.admin("account", "delete", account, "--yes").status == 0)
        #expect(try await ada.run("sync").status == 4)
        let status = try await ada.run("status").output
        #expect(status.contains("The account was deleted. Its lists are kept here"))
        #expect(!status.contains("Next try"))
        let edit = try await ada.run("profile", "set", "--given", "Ada")
        #expect(edit.status == 0 && edit.complaints.contains("stays on this device"))
    }
}
