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
        try process.run()
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
    var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) / 1024
    }

    /// Tells the process that has started this one at which port it serves.
    static func report(_ port: Int) { FileHandle.standardOutput.write(Data("\(port)\n".utf8)) }
}
