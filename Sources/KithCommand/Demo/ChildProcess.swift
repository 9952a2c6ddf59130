package import Foundation
import Synchronization

/// A program of ours in a process of its own, so that it can really be killed.
///
/// What it prints comes line by line as ``lines``; what it complains about goes
/// into a file. Killing and waiting are for the one who started it: a child that
/// is let go of is killed.
package final class ChildProcess: Sendable {
    /// The lines of its standard output. They end when the process has.
    package let lines: AsyncStream<String>
    package let id: Int32
    private let process: Mutex<Process>
    private let ending: AsyncStream<Int32>
    private let status = Mutex<Int32?>(nil)

    /// Starts `program`.
    ///
    /// - Parameters:
    ///   - program: The executable.
    ///   - arguments: What it is told.
    ///   - complaints: The file that its standard error is added to.
    /// - Throws: What the system says if the program cannot be started.
    package init(_ program: URL, _ arguments: [String], complaints: URL) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        // What is set here for `kith serve` is meant for another server than ours.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KITH_") }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        if !FileManager.default.fileExists(atPath: complaints.path()) { try Data().write(to: complaints) }
        let errors = try FileHandle(forWritingTo: complaints)
        try errors.seekToEnd()
        process.standardError = errors
        self.ending = try process.start()
        self.id = process.processIdentifier
        self.lines = Self.lines(of: output.fileHandleForReading)
        self.process = Mutex(process)
    }

    deinit { signal(SIGKILL) }

    /// Sends a signal, if the process still runs.
    package func signal(_ number: Int32) {
        process.withLock { process in
            if process.isRunning { _ = kill(process.processIdentifier, number) }
        }
    }

    /// Waits until the process has ended, however that came.
    ///
    /// - Returns: Its exit status, or 128 and the signal that ended it.
    @discardableResult package func ended() async -> Int32 {
        if let known = status.withLock({ $0 }) { return known }
        for await number in ending { status.withLock { $0 = number } }
        return status.withLock { $0 } ?? -1
    }

    /// Kills it the hard way, as a power cut would, and waits until it is gone.
    package func killed() async {
        signal(SIGKILL)
        await ended()
    }

    /// Reads on a thread of its own: a blocking read must not hold up the threads that tasks share.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    line.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            line.finish()
        }
        return lines
    }
}
