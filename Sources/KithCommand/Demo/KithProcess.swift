import Foundation
import Processes

/// `kith`, run once in a process of its own, as a person would at a terminal.
struct KithProcess: Sendable {
    let program: URL
    /// The file that its complaints go to.
    let complaints: URL

    /// Runs a command.
    ///
    /// - Returns: What it says, line by line.
    /// - Throws: ``Failure`` if it does not end well.
    func lines(_ arguments: [String]) async throws -> [String] {
        let child = try await ChildProcess(program, arguments, complaints: complaints)
        let words = "kith " + arguments.map(\.shellWord).joined(separator: " ")
        let (lines, status) = try await Limit("“\(words)” has ended").wait {
            var lines: [String] = []
            for await line in child.lines { lines.append(line) }
            return (lines, await child.ended())
        }
        if status != 0 {
            throw Failure(
                .failed, "demo", "“\(words)” ended with code \(status). Its own words are in \(complaints.path()).",
                candidates: lines)
        }
        return lines
    }
}
