import Foundation

/// Another program that Kith is compared with, while it runs.
final class PeerProcess {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let log: URL

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - folder: Where it runs, and where its log is written.
    /// - Throws: An error of the system if it cannot be started.
    init(_ command: [String], in folder: URL) throws {
        log = folder.appending(path: "\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: log.path(), contents: nil)
        let output = try FileHandle(forWritingTo: log)
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.runReceivingSignals()
    }

    deinit { stop() }

    /// The number of the process.
    var number: Int32 { process.processIdentifier }

    /// Waits until a condition is true.
    ///
    /// - Throws: ``Failed`` if the program ends before, or after a minute.
    func wait(until isReady: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !isReady() {
            guard process.isRunning, .now < end else { throw failure }
            usleep(20_000)
        }
    }

    /// Waits until the program listens at a port.
    func wait(for port: Int) throws {
        try wait {
            let connection = HTTPConnection(port: port)
            return (try? connection.open()) != nil
        }
    }

    /// Stops the program, and waits for its end.
    ///
    /// - Parameter isInterrupted: Whether it is interrupted. PostgreSQL then does not wait for its clients.
    func stop(isInterrupted: Bool = false) {
        guard process.isRunning else { return }
        if isInterrupted { process.interrupt() } else { process.terminate() }
        process.waitUntilExit()
    }

    /// What the program has written.
    private var words: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    private var failure: Failed {
        Failed(description: "\(process.executableURL?.lastPathComponent ?? ""): \(words.suffix(1_000))")
    }

    /// Runs a program to its end. Returns what it has written, to its standard output and to its standard error.
    @discardableResult
    static func run(_ command: [String], in folder: URL) throws -> String {
        let started = try PeerProcess(command, in: folder)
        started.process.waitUntilExit()
        guard started.process.terminationStatus == 0 else { throw started.failure }
        return started.words
    }

    /// The path of an installed program; nil if it is not installed.
    static func path(of program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
