import Foundation
import Processes

/// A command of a device at a terminal of its own. A test waits for its questions, and answers them.
struct Terminal {
    /// `script` runs a program at a terminal.
    private static let script = URL(filePath: "/usr/bin/script")

    /// Why tests with a terminal are skipped; nil if they can run.
    static let missing =
        FileManager.default.isExecutableFile(atPath: script.path()) ? nil : "There is no “script” here."

    private let process: ChildProcess
    /// The end of the pipe at which the person types.
    private let keyboard: FileHandle

    /// Starts the command.
    init(_ device: Device, _ arguments: [String]) async throws {
        let pipe = device.folder.file("keyboard-\(UUID().uuidString)")
        guard mkfifo(pipe.path(), 0o600) == 0 else { throw InVain("The pipe \(pipe.path()) was not made.") }
        // For reading and writing, because opening it for writing waits for a reader.
        keyboard = try FileHandle(forUpdating: pipe)
        let words = [Program.built.url.path()] + device.options + arguments
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        // Each question ends with its answers in brackets.
        process = try await ChildProcess(
            Self.script, ["--quiet", "--return", "--command", command, "/dev/null"],
            environment: device.folder.environment, input: pipe, complaints: nil, lineSeparator: "]")
    }

    /// What the command says until its next question; nil if it has ended.
    func question() async -> String? {
        for await said in process.lines { return said }
        return nil
    }

    func types(_ line: String) throws { try keyboard.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Waits until the command has ended.
    ///
    /// - Returns: Its exit status, and what it has said since the last question.
    func ended() async -> (status: Int32, said: String) {
        var said: [String] = []
        for await text in process.lines { said.append(text) }
        return (await process.ended(), said.joined(separator: "]"))
    }
}
