import Foundation
import KithServer

/// A server in its own process, so that the clients do not use its processor time.
final class OverloadedServer {
    /// The argument that makes this program the server.
    static let argument = "overloaded-server"

    let port: Int
    private let process: Process

    /// Starts the server, with its database in `folder`.
    init(in folder: URL) throws {
        process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [Self.argument, folder.appending(path: "overload.sqlite").path()]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CocoaError(.executableLoad)
        }
        self.port = port
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// The peak memory of the server, in MB.
    var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) / 1024
    }

    /// Runs the server until the process is terminated.
    static func serve(database: String) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.database = database
        // The default daily quota would end the load early.
        configuration.limits.evaluationsADay = 1_000_000_000
        KithServer.allowManyConnections()
        try await KithServer.open(configuration).run(obeysSignals: true) { url in
            FileHandle.standardOutput.write(Data("\(url.port ?? 0)\n".utf8))
        }
    }
}
