import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Options that show or reach people, as text and as JSON") struct PeopleOptionTests {
    private let folder = Folder()

    private func account(of device: Device) async throws -> String {
        try await device.json("session", "new")
        return try await device.account()
    }

    @Test("lists members --removed shows the people that the owner removed, and asks the server") func removed()
        async throws
    {
        let server = try await folder.server()
        let (ada, grace) = (Device(folder, "ada", server: server.url), Device(folder, "grace", server: server.url))
        let id = try await account(of: grace)
        try await ada.json("lists", "create", "Ours")
        let link = try #require(try await ada.json("lists", "share", "Ours")["link"]["url"].text)
        try await grace.json("lists", "accept", link)
        try await grace.json("lists", "my-name", "Ours", "Grace")
        try await grace.json("sync")
        try await ada.json("sync")
        let nobody = try await ada.run("lists", "members", "Ours", "--removed")
        #expect(nobody.status == 0 && nobody.output.hasSuffix("\n\nYou have removed nobody.\n"), "\(nobody.output)")
        #expect(try await ada.json("lists", "members", "Ours", "--removed")["removed"] == .array([]))

        try await ada.json("lists", "remove-member", "Ours", "Grace")
        try await ada.json("sync")
        #expect(try await !ada.run("lists", "members", "Ours").output.contains("Grace"))
        #expect(try await ada.json("lists", "members", "Ours")["removed"] == .null)
        let shown = try await ada.run("lists", "members", "Ours", "--removed").output
        let parts = shown.components(separatedBy: "\n\nRemoved; they cannot join by a link:\n")
        #expect(parts.count == 2 && !parts[0].contains("Grace"), "\(shown)")
        let rows = try #require(parts.last).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.first == ["#", "Name", "Removed", "Id"])
        let row = try #require(rows.last)
        #expect(rows.count == 2 && row.starts(with: ["1", "Grace"]), "\(shown)")
        #expect(row.last == String(id.suffix(8)))
        let answer = try await ada.json("lists", "members", "Ours", "--removed")
        #expect(answer["members"].elements.map { $0["you"] } == [true])
        let kept = answer["removed"].elements
        #expect(kept.map(\.keys) == [["account", "name", "removed"]])
        #expect(kept.map { $0["account"].text } == [id] && kept.map { $0["name"] } == ["Grace"])
        #expect(try await ada.run("--offline", "lists", "members", "Ours", "--removed").status == 3)

        try await ada.json("lists", "let-in", "Ours", "Grace")
        #expect(try await ada.json("lists", "members", "Ours", "--removed")["removed"] == .array([]))
    }

    @Test("profile show --as shows what these people see, without the visibility of each part") func shownAs()
        async throws
    {
        let device = Device(folder, "device")
        let (everyone, network) = (["--as", "everyone"], ["--as", "network"])
        func show(_ viewer: [String]) async throws -> String {
            try await device.run(["profile", "show"] + viewer).output
        }
        #expect(try await show(everyone) == "Everyone sees nothing of your profile.\n")
        #expect(try await show(network) == "Your network sees nothing of your profile.\n")
        try await device.json(
            "profile", "set", "--given", "Ada", "--status", "At the lake", "--phone", "+43 664 5550101 home", "--email",
            "ada@example.org")
        try await device.json("profile", "visibility", "emails", "nobody")
        #expect(try await show(everyone) == "Everyone sees:\nGiven name  Ada\n")
        let lines = [
            "Your network sees:", "Given name  Ada", "Status      At the lake", "Phone       +43 664 5550101 (home)",
        ]
        #expect(try await show(network) == lines.map { $0 + "\n" }.joined())

        let byAll = try await device.json("profile", "show", "--as", "everyone")
        #expect(byAll.keys == ["account", "profile"])
        #expect(byAll["profile"]["given"] == "Ada" && byAll["profile"]["status"] == .null)
        #expect(byAll["profile"]["phones"] == .array([]) && byAll["profile"]["emails"] == .array([]))
        let byNetwork = try await device.json("profile", "show", "--as", "network")["profile"]
        #expect(byNetwork["given"] == "Ada" && byNetwork["status"] == "At the lake")
        #expect(byNetwork["phones"].elements.map { $0["value"] } == ["+43 664 5550101"])
        #expect(byNetwork["emails"] == .array([]))
        for shown in [byAll["profile"], byNetwork] {
            #expect(shown.keys.isDisjoint(with: ["visibility", "listed", "discoverable"]))
        }
    }

    @Test(
        "discover --connect sends requests to matches, accepts theirs, and does neither again",
        arguments: [false, true])
    func connecting(isJSON: Bool) async throws {
        let server = try await folder.server()
        let people = ["ada", "ben", "cleo"].map { Device(folder, $0, server: server.url) }
        let (ada, ben, cleo) = (people[0], people[1], people[2])
        let (adaID, benID, cleoID) = (
            try await account(of: ada), try await account(of: ben), try await account(of: cleo)
        )
        for (email, id) in [("ada@example.com", adaID), ("cleo@example.com", cleoID)] {
            try await folder.addIdentity(email, to: id)
        }
        try await ada.json("network", "connect", benID)
        try await ada.json("sync")
        try await ben.json("sync")
        let cards = ["Ada", "Cleo"].map {
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\($0)\r\nEMAIL:\($0.lowercased())@example.com\r\nEND:VCARD\r\n"
        }
        try await ben.json("contacts", "add-source", try folder.write(cards.joined(), to: "ben.vcf"))
        if isJSON {
            let connecting = try await ben.json("discover", "--connect")["connecting"].elements
            var relations: [String: String] = [:]
            for person in connecting { relations[person["account"].text ?? ""] = person["relation"].text }
            #expect(relations == [adaID: "connected", cleoID: "sent"])
            #expect(try await ben.json("discover", "--connect")["connecting"] == .array([]))
        } else {
            let first = try await ben.run("discover", "--connect")
            #expect(first.status == 0, "\(first.complaints)")
            let lines = first.output.split(separator: "\n")
            #expect(lines.contains("Connected: Ada") && lines.contains("Asked: Cleo"), "\(first.output)")
            #expect(!first.output.contains("To ask one:"), "\(first.output)")
            let again = try await ben.run("discover", "--connect")
            #expect(again.status == 0 && !again.output.contains(#/(Connected|Asked): /#), "\(again.output)")
        }
        for device in [ben, ada, cleo] { try await device.json("sync") }
        #expect(try await ben.json("network")["people"].elements.map { $0["account"].text } == [adaID])
        #expect(try await ada.json("network")["people"].elements.map { $0["account"].text } == [benID])
        let requests = try await cleo.json("network", "list", "--requests")["people"].elements
        #expect(requests.map { $0["account"].text } == [benID])
    }

    @Test("items duplicates lists duplicates, and --merge prints the merged items") func duplicates() async throws {
        let device = Device(folder, "device")
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Milk", "Tea", "milk", "--count", "2")
        let found = try await device.run("items", "duplicates", "L").output.split(separator: "\n")
        let rows = found.map { $0.split(separator: " ").map(String.init) }
        #expect(rows.first == ["Title", "Times", "Together"])
        #expect(rows.dropFirst().first == ["Milk", "2", "4"])
        #expect(found.last == "Make them one each: kith items duplicates L --merge")
        #expect(try await device.run("items", "duplicates", "L", "--merge").output == "Merged “Milk”.\n")
        #expect(try await device.titles("L") == ["Milk", "Tea"])
        // Now nothing is left to show or to merge.
        #expect(try await device.run("items", "duplicates", "L").output == "Nothing is there twice.\n")
        #expect(try await device.run("items", "duplicates", "L", "--merge").output == "Nothing is there twice.\n")
        #expect(try await device.json("items", "duplicates", "L")["duplicates"] == .array([]))
        try await device.json("items", "add", "L", "tea")
        let merged = try await device.json("items", "duplicates", "L", "--merge")["items"].elements
        #expect(merged.map { $0["title"] } == ["Tea"] && merged.map { $0["count"] } == [3])
        #expect(try await device.json("items", "L")["items"].elements.map { $0["count"] } == [4, 3])
    }

    @Test(
        "Trap: items duplicates --merge cuts a sum above 9,999 without a word – what does not fit stays, and it says so"
    )
    func largeDuplicates() async throws {
        let device = Device(folder, "device")
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Rice", "rice", "--count", "6000")
        let sentence = """
            Nothing was merged. The comments or the counts of “Rice” are too large together, so some of these items stay.

            """
        #expect(try await device.run("items", "duplicates", "L", "--merge").output == sentence)
        #expect(try await device.json("items", "L")["items"].elements.map { $0["count"] } == [6_000, 6_000])
    }
}
