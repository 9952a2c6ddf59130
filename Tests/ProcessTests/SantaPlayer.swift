import Foundation
import Processes

/// The app Santa in a process of its own, and the person who types.
struct SantaPlayer {
    private let process: ChildProcess
    /// The end of the pipe at which the person types.
    private let keyboard: FileHandle

    /// Starts the app with these arguments. `name` is that of its files in the folder.
    init(_ name: String, in folder: URL, _ arguments: [String]) async throws {
        let pipe = folder.appending(path: "\(name).pipe")
        let path = pipe.path(percentEncoded: false)
        guard mkfifo(path, 0o600) == 0 else { throw InVain("The pipe \(path) was not made.") }
        // For reading and writing, because opening it for writing waits for a reader.
        let end = open(path, O_RDWR | O_CLOEXEC)
        guard end >= 0 else { throw InVain("The pipe \(path) does not open.") }
        keyboard = FileHandle(fileDescriptor: end, closeOnDealloc: true)
        process = try await ChildProcess(
            World.program("Santa"), arguments, input: pipe, complaints: folder.appending(path: "\(name).log"))
    }

    /// What the app says until its next question, which is the last line.
    func untilQuestion() async throws -> [String] {
        var said: [String] = []
        for await line in process.lines {
            said.append(line)
            if line == "What now?" || line.hasPrefix("The code in") || line.hasSuffix("(y/n)") { return said }
        }
        throw InVain("The app has ended. It said: \(said.joined(separator: "\n"))")
    }

    /// Types a line.
    ///
    /// - Returns: What the app says until its next question.
    @discardableResult
    func types(_ line: String) async throws -> [String] {
        try keyboard.write(contentsOf: Data("\(line)\n".utf8))
        return try await untilQuestion()
    }

    /// Types a line again and again, until one of the answers begins like this.
    ///
    /// - Returns: The line.
    func types(_ line: String, untilAnswer start: String) async throws -> String {
        while true {
            if let answer = try await types(line).first(where: { $0.hasPrefix(start) }) { return answer }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Ends the app.
    ///
    /// - Returns: Its exit status.
    func quits() async throws -> Int32 {
        try keyboard.write(contentsOf: Data("quit\n".utf8))
        for await _ in process.lines {}
        return await process.ended()
    }
}
