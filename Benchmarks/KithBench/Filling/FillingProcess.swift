import Foundation

/// The process of a ``FillingDevice``, as the measurement sees it.
final class FillingProcess {
    struct EndedEarly: Error {}

    private let process = Process()
    private let output = Pipe()
    private var text = ""

    /// Starts to fill a replica, and waits until it is open.
    init(_ replica: URL, postsNotifications: Bool = false) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [
            postsNotifications ? FillingDevice.postingArgument : FillingDevice.argument, replica.path(),
        ]
        process.standardOutput = output
        try process.run()
        while !text.hasPrefix("ready\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw EndedEarly() }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Kills the process. It cannot write anything more.
    func end() { kill(process.processIdentifier, SIGKILL) }

    /// Waits until the process has ended.
    ///
    /// - Returns: Whether it has ended by itself.
    @discardableResult func wait() throws -> Bool {
        text += String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// The last number that the process has said after a word.
    func last(_ word: String) -> Int? {
        text.split(separator: "\n").last { $0.hasPrefix("\(word) ") }.flatMap { Int($0.dropFirst(word.count + 1)) }
    }
}
