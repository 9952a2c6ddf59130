import Foundation
import Testing

@Suite("Work that lasts") struct ProgressTests {
    /// `script` runs a program at a terminal of its own.
    private static let script = URL(filePath: "/usr/bin/script")

    @Test(
        "A terminal is told what is being read, and for how long", .timeLimit(.minutes(2)),
        .enabled(if: FileManager.default.isExecutableFile(atPath: script.path()), "There is no “script” here."))
    func contacts() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-progress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let password = folder.appending(path: "password")
        try Data("hunter2\n".utf8).write(to: password)
        let server = try LoopbackSocket(isListening: true)
        defer { server.close() }

        let (process, output) = (Process(), Pipe())
        process.executableURL = Self.script
        let command = """
            '\(World.program("kith").path())' --data '\(folder.path())/data' contacts add-source \
            http://127.0.0.1:\(server.port)/ --user ada --password-file '\(password.path())' --name Silent
            """
        process.arguments = ["--quiet", "--return", "--command", command, "/dev/null"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        var shown = ""
        while !shown.contains("Reading Silent … 1 s") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            shown += String(decoding: data, as: UTF8.self)
        }
        process.terminate()
        process.waitUntilExit()
        #expect(shown.contains("Reading Silent … 1 s"), "\(shown)")
    }
}
