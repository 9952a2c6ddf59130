import Foundation
import KithCommand
import KithModel
import Testing

@Suite("Input about people is checked, and errors name what is wrong") struct PeopleMistakesTests {
    private let device = Device(Folder(), "device")
    private var folder: Folder { device.folder }

    @Test(
        "Trap: a profile accepts any value",
        arguments: [
            ("phone", "abc"), ("phone", "12"), ("phone", "+43"), ("phone", "+43 home"), ("phone", "home +43664 1"),
            ("email", "foo"), ("site", "nonsense"), ("country", "XX"), ("language", "klingonisch"),
            ("time-zone", "Mars/Phobos"),
        ])
    func field(name: String, text: String) async throws {
        let run = try await device.run("--json", "profile", "set", "--\(name)", text, "--given", "Ada")
        #expect(run.status == 64)
        #expect(try run.error["sentence"].text?.contains("“\(text)” is no") == true)
        #expect(try await device.json("profile")["profile"]["given"] == .null)
    }

    @Test("accepts common notations, and an empty text removes the value") func fields() async throws {
        let said = try await device.json(
            "profile", "set", "--phone", "(01) 555-0101/22 work", "--phone", "112", "--email", "ada@example.org home",
            "--site", "example.org", "--site", "http://localhost:8080/ada", "--country", "at", "--language",
            "zh-Hant-TW", "--time-zone", "Europe/Vienna", "--given", "Ada")["profile"]
        #expect(said["phones"].elements.map { $0["value"] } == ["(01) 555-0101/22", "112"])
        #expect(said["country"] == "AT")
        let less = try await device.json(
            "profile", "set", "--given", "", "--phone", "", "--country", "", "--address", "")["profile"]
        #expect(less["given"] == .null && less["country"] == .null && less["phones"].elements.isEmpty)
        #expect(less["emails"].elements.count == 1)
        #expect(try await device.run("profile", "set", "--phone", "", "--phone", "112").status == 64)
        let both = try await device.run("profile", "set", "--clear", "given", "--given", "Ada")
        #expect(both.status == 64 && both.complaints.contains("at once"))
    }

    @Test("Trap: the error about a mistyped option or command names something else") func mistyped() async throws {
        let option = try await device.run("profile", "set", "--givn", "Ada")
        #expect(option.status == 64 && option.complaints.contains("--givn") && option.complaints.contains("--given"))
        // Here the command's own rule is broken too.
        let picture = try await device.run("profile", "picture", "--remov")
        #expect(picture.status == 64 && picture.complaints.contains("no option --remov. Did you mean:\n  --remove"))
        let command = try await device.run("--json", "network", "shwo")
        #expect(command.status == 64)
        #expect(try command.error["sentence"] == "There is no command “kith network shwo”. Did you mean:")
        #expect(try command.error["candidates"] == .array(["kith network show"]))
        let strange = try await device.run("network", "frobnicate")
        #expect(strange.complaints.contains("kith network accept"))
        // What is no mistake of spelling is said as before.
        #expect(try await device.run("profile", "picture").complaints.contains("Name one file"))
    }

    @Test("Trap: a request that is no edit is reported as stored for later") func unreachable() async throws {
        let server = try #require(URL(string: "http://127.0.0.1:9"))
        let away = Device(folder, "device", server: server)
        for words in [["session", "new"], ["network", "search", "--directory", "ada"]] {
            let run = try await away.run(words)
            #expect(run.status == 3 && !run.complaints.contains("kept"), "\(words): \(run.complaints)")
        }
        #expect(try await device.run("session", "delete", "--yes").complaints.contains("Nothing was deleted."))
        let edit = try await away.run("profile", "set", "--given", "Ada")
        #expect(edit.status == 0 && edit.complaints.contains("1 change waits to be sent"))
    }

    @Test("exit codes distinguish missing from refused; a picture has one name") func codes() async throws {
        #expect(try await device.run("profile", "picture", "nowhere.png").status == 7)
        let text = try folder.write("no picture", to: "text.png")
        #expect(try await device.run("profile", "picture", text).complaints.contains("The picture is neither"))
        let stranger = "01900000-0000-7000-8000-000000000002"
        try await device.json("network", "block", stranger)
        for verb in ["accept", "cancel", "remove"] {
            #expect(try await device.run("network", verb, "00000002").status == 6, "\(verb)")
        }
        let away = Device(folder, "device", server: URL(string: "http://127.0.0.1:9"))
        let many = (0...Limits.directoryWords).map { "ab\($0)" }
        for words in [["n"], many] {
            let run = try await away.run(["network", "search", "--directory"] + words)
            #expect(run.status == 64, "\(run.complaints)")
        }
        let listed = try await device.run("network", "list", "--blocked").output
        #expect(listed.hasPrefix("Name       You two  Id"))
        let muted = try await device.run("network", "mute", "00000002", "--until", "2020-01-01")
        #expect(muted.complaints.contains("That moment has passed."))
    }

    @Test("a removed person can be named: by name while it is known, then by the end of the account id")
    func removed() async throws {
        let stranger = "01900000-0000-7000-8000-0000deadbeef"
        try await device.json("network", "mute", stranger)
        try await device.json("network", "unmute", stranger)
        #expect(try await device.run("network", "connect", "deadbeef").output.hasPrefix("Asked account deadbeef. They"))
    }

    @Test("a changed visibility is confirmed in one line") func visibility() async throws {
        let phones = try await device.run("profile", "visibility", "phones", "everyone")
        #expect(phones.output == "“phones” is shown to everyone.\n")
        #expect(
            try await device.run("profile", "visibility", "--listed").output == "You are listed in the directory.\n"
        )
        #expect(try await device.run("profile", "visibility").output.contains("Part "))
    }
}
