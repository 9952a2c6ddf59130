import Foundation

/// A server in a process of its own, so that the clients do not use its processor time.
///
/// It is this program with other arguments. Its first line is its port.
final class ServerProcess {
    let port: Int
    private let process: Process

    /// Starts this program with these arguments, and waits until it serves.
    init(_ arguments: String...) throws {
        process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.runReceivingSignals()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CocoaError(.executableLoad)
        }
        self.port = port
    }

    deinit { stop() }

    /// Stops the server, and waits until it has stored everything.
    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }

    /// The peak memory of the server, in MB.
    var memory: Int { ProcessUsage(process: process.processIdentifier).peakMemory >> 20 }

    /// Tells the process that has started this one at which port it serves.
    static func report(_ port: Int) { FileHandle.standardOutput.write(Data("\(port)\n".utf8)) }
}
