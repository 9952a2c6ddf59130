import Foundation
import KithCommand
import KithModel
import Processes
import Testing

/// The device `/dev/full` is a full disk.
@Suite(
    "If standard output cannot be written, the work is done and the command fails",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "There is no /dev/full here."))
struct FullOutputTests {
    private let folder = Folder()

    /// Runs a command whose standard output is full.
    private func run(_ device: Device, _ words: String) async throws -> Program.Run {
        let options = device.options.map { "'\($0)'" }.joined(separator: " ")
        let line = "'\(Program.built.url.path())' \(words) \(options) > /dev/full"
        return try await Program(url: URL(filePath: "/bin/sh")).run(["-c", line], in: folder)
    }

    @Test("Trap: an edit is saved, but not sent, and a script repeats it – it is sent, and the message says so")
    func edit() async throws {
        let phone = Device(folder, "phone", server: try await folder.server().url)
        try await phone.json("lists", "create", "Groceries")
        let add = try await run(phone, "items add Groceries Tea")
        #expect(add.status == 1 && add.complaints.contains("The command is done"), "\(add.complaints)")
        #expect(try await phone.json("status")["status"]["waiting"] == 0)
        #expect(try await phone.titles("Groceries") == ["Tea"])
        // Here the content is what the command is for.
        let export = try await run(phone, "lists export Groceries")
        #expect(export.status == 1 && !export.complaints.contains("is done"), "\(export.complaints)")
    }

    @Test("Trap: contacts watch goes on and drops every change – it ends", .timeLimit(.minutes(2))) func watch()
        async throws
    {
        let device = Device(folder, "device")
        let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Zoe\r\nEND:VCARD\r\n"
        try await device.json("contacts", "add-source", try folder.write(card, to: "zoe.vcf"))
        #expect(try await run(device, "contacts watch").status == 1)
    }

    @Test(
        "Trap: an empty file counts as the help – the exit code is 1",
        arguments: ["--help", "--version", "help lists"])
    func help(words: String) async throws {
        let line = "'\(Program.built.url.path())' \(words) > /dev/full"
        let run = try await Program(url: URL(filePath: "/bin/sh")).run(["-c", line], in: folder)
        #expect(run.status == 1 && run.complaints.contains("cannot be written"), "\(run.complaints)")
    }
}
