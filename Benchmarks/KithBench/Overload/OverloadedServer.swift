import Foundation
import KithServer

/// A server in a process of its own, so that who asks takes no time from it.
final class OverloadedServer {
    /// What this program is started with to be the server.
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

    /// The most memory that it has had, in MB.
    var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) / 1024
    }

    /// Is the server, until the process is ended.
    static func serve(database: String) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.database = database
        // A quota of the day would end the load early.
        configuration.limits.evaluationsADay = 1_000_000_000
        KithServer.allowManyConnections()
        try await KithServer.open(configuration).run(obeysSignals: true) { url in
            FileHandle.standardOutput.write(Data("\(url.port ?? 0)\n".utf8))
        }
    }
}
