import Foundation
import Processes
import Testing

@Suite("Progress of long work") struct ProgressTests {
    /// `script` runs a program at a terminal of its own.
    private static let script = URL(filePath: "/usr/bin/script")

    @Test(
        "A terminal shows what is being read, and for how long", .timeLimit(.minutes(15)),
        .enabled(if: FileManager.default.isExecutableFile(atPath: script.path()), "There is no “script” here."))
    func contacts() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-progress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let password = folder.appending(path: "password")
        try Data("hunter2\n".utf8).write(to: password)
        let server = try LoopbackSocket(isListening: true)
        defer { server.close() }

        let command = """
            '\(World.program("kith").path())' --data '\(folder.path())/data' contacts add-source \
            http://127.0.0.1:\(server.port)/ --user ada --password-file '\(password.path())' --name Silent
            """
        // A program at a terminal goes back to the start of the line with each word on how far it has come.
        let process = try await ChildProcess(
            Self.script, ["--quiet", "--return", "--command", command, "/dev/null"], complaints: nil,
            lineSeparator: "\r")
        // On a busy machine the first word can come after several seconds.
        let progress = #/Reading Silent … [1-9][0-9]* s/#
        var shown = ""
        for await line in process.lines {
            shown += line
            if line.contains(progress) { break }
        }
        await process.killed()
        #expect(shown.contains(progress), "\(shown)")
    }
}
