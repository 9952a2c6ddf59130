import Foundation

/// A program that is run, and what it says.
enum Command {
    /// How a run ended.
    enum Ending {
        case passed
        /// It failed; this is the first line that says so.
        case failed(String)
        /// It was ended after its time.
        case hung
    }

    /// All that a program writes to its standard output.
    static func output(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Trouble("“\(arguments.joined(separator: " "))” failed with \(process.terminationStatus).")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// How long a run may take.
    struct Limit: Sendable {
        /// What it may use of the processors, in seconds. That does not depend on what else the machine does, so that a run
        /// which turns in circles is ended soon.
        let processor: Int
        /// For a run that only waits.
        let duration: Duration

        /// Enough for a run that took `processor` seconds of the processors without a mutant.
        init(processor: Double) {
            self.processor = Int(10 + 5 * processor)
            duration = .seconds(Int(45 + 15 * processor))
        }

        /// For a run of which nothing is known yet.
        static let unknown = Limit(processor: 120)
    }

    /// Runs tests until the first of them fails, or until their time is over.
    static func runTests(
        _ program: URL, _ arguments: [String], in folder: URL, environment: [String: String], limit: Limit
    ) throws -> Ending {
        let temporary = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: temporary) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", #"ulimit -S -t "$0" && ulimit -c 0 && exec "$@""#, String(limit.processor)]
            + [program.path(percentEncoded: false)] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["TMPDIR": temporary.path(percentEncoded: false), "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let identifier = process.processIdentifier
        let alarm = Alarm(identifier, after: limit.duration)
        defer { alarm.cancel() }

        var pending = Data()
        var failure: String?
        while failure == nil {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            pending += data
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
                pending = Data(pending[(end + 1)...])
                if line.contains(" recorded an issue") || line.contains("Fatal error: ") {
                    failure = line
                    break
                }
            }
        }
        if failure != nil { Alarm.end(identifier) }
        process.waitUntilExit()
        if let failure { return .failed(short(failure)) }
        let isStopped = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGXCPU
        if alarm.hasRung || isStopped { return .hung }
        return process.terminationStatus == 0 ? .passed : .failed("ended with \(process.terminationStatus)")
    }

    private static func short(_ line: String) -> String {
        let plain = line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        return plain.count > 160 ? plain.prefix(160) + "…" : plain
    }
}
