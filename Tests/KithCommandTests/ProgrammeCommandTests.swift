import Foundation
import KithCommand
import KithModel
import KithServer
import Testing

@Suite("kith admin programme") struct ProgrammeCommandTests {
    private let folder = Folder()
    private let sample: String

    init() throws {
        sample = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Samples/friends.json")
            .standardizedFileURL.path()
        // The command works on the database of a server.
        _ = try SQLiteDatabase(path: folder.file("server.sqlite").path())
    }

    private func run(_ arguments: String..., input: String = "") async throws -> Program.Run {
        try await folder.admin(["programme"] + arguments, input: input)
    }

    @Test("A programme is made, listed, shown, paused, resumed and replaced") func life() async throws {
        #expect(try await run().output.contains("There are no programmes"))
        let made = try await run("create", sample, "--json")
        #expect(made.status == 0, "\(made.complaints)")
        let programme = try made.json["programme"]
        #expect(programme["name"] == "friends" && programme["languages"].elements == ["de", "en"])
        let again = try await run("create", sample)
        #expect(again.status == 5 && again.complaints.contains("--replace"), "\(again.complaints)")

        #expect(try await run("pause", "friends").output == "The programme “friends” is paused.\n")
        let replaced = try await run("create", sample, "--replace", "--json")
        #expect(try replaced.json["programme"]["isPaused"] == true)
        #expect(try await run("resume", "friends", "--json").json["programme"]["isPaused"] == false)
        let shown = try await run("show", "friends").output
        #expect(shown.contains("A week of tea, for you and for a friend") && shown.contains("banner (anonymous)"))
        #expect(shown.contains("4 to 20 letters and digits") && shown.contains("within 30 days"), "\(shown)")
        // The address has one name, whatever links show.
        #expect(shown.contains("Join at") && shown.contains("show the page"), "\(shown)")
        #expect(try await run("show", "friends", "--json").json["programme"]["file"]["shares-a-day"] == 50)
        let source = try await run("show", "friends", "--source").output
        #expect(try source == String(contentsOfFile: sample, encoding: .utf8))
        #expect(try await run("show", "friend").status == 6)
        #expect(try await run("list", "--json").json["programmes"].elements.map { $0["name"] } == ["friends"])
    }

    @Test("A programme that was made or replaced says so, and how to share in it") func words() async throws {
        let made = try await run("create", sample, "--replace").output
        let next = "To get a link in it: kith share link --programme friends\n"
        #expect(made == "The programme “friends” is made.\n" + next)
        #expect(try await run("create", sample, "--replace").output == "The programme “friends” is replaced.\n" + next)
    }

    @Test("A programme gets a picture, keeps it when it is replaced, and loses it if asked")
    func picture() async throws {
        let png = folder.file("tea.png")
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: png)
        let made = try await run("create", sample, "--picture", png.path())
        #expect(made.status == 0, "\(made.complaints)")
        let shown = try await run("show", "friends", "--json").json["programme"]["picture"]
        #expect(shown["type"] == "image/png" && shown["bytes"] == 8)
        #expect(try await run("show", "friends").output.contains("image/png, 1 KiB"))
        #expect(try await run("create", sample, "--replace").status == 0)
        #expect(try await run("show", "friends", "--json").json["programme"]["picture"]["bytes"] == 8)

        let text = try await run("create", sample, "--replace", "--picture", sample)
        #expect(text.status == 7 && text.complaints.contains("is neither JPEG nor PNG nor WebP"), "\(text.complaints)")
        #expect(try await run("create", sample, "--picture", png.path(), "--no-picture").status == 64)
        #expect(try await run("create", sample, "--replace", "--no-picture").status == 0)
        #expect(try await run("show", "friends", "--json").json["programme"]["picture"] == .null)
    }

    @Test("A fault in the file is named with its place, and nothing is stored") func faults() async throws {
        let wrong = #"{"name": "tea", "title": {"en": "Tea"}, "text": {"en": "a"}, "guards": {"self-referal": true}}"#
        let faulty = try await run("create", "-", input: wrong)
        #expect(faulty.status == 7)
        #expect(faulty.complaints.contains(#"$.guards["self-referal"]"#), "\(faulty.complaints)")
        #expect(faulty.complaints.contains("standard input: “self-referal” is not a key here"), "\(faulty.complaints)")
        #expect(try await run("list", "--json").json["programmes"].elements.isEmpty)
        let missing = try await run("create", folder.file("none.json").path(), "--json")
        #expect(missing.status == 7)
        #expect(try missing.error["code"] == "file")
    }
}
