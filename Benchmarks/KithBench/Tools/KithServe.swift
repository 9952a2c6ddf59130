import Foundation

/// A running `kith serve` without limits of rates, connections and storage, in a process of its own.
final class KithServe {
    struct NotStarted: Error, CustomStringConvertible {
        let program: URL
        let log: URL

        var description: String {
            "“\(program.lastPathComponent) serve” did not start. It must be built, and \(log.lastPathComponent) says more."
        }
    }

    /// The options that lift the limits. All clients have the same address, and send as many requests as they can.
    private static let unlimited =
        [
            "session-rate", "session-burst", "new-session-rate", "new-session-burst", "address-rate", "address-burst",
            "operating-rate", "operating-burst", "session-work", "address-work", "requests-at-once",
            "streams-of-session", "streams-at-once", "connections-of-address", "connections-at-once", "account-storage",
        ].flatMap { ["--\($0)", "1000000"] } + ["--free-disk", "0", "--trusted-proxy", "loopback"]

    let url: URL
    var port: Int { url.port ?? 0 }
    private let process = Process()

    /// Starts the server at a free port, and waits until it serves.
    ///
    /// - Parameters:
    ///   - program: The program `kith`.
    ///   - database: The database of the server. Its log is written beside it.
    ///   - environment: Variables that the server has in addition to those of this program.
    /// - Throws: ``NotStarted``, or an error of the system.
    convenience init(_ program: URL, database: URL, environment: [String: String] = [:]) throws {
        try self.init(
            program, address: database.path(), log: database.appendingPathExtension("log"), environment: environment)
    }

    /// Starts a node of a PostgreSQL database at a free port, and waits until it serves.
    ///
    /// - Parameters:
    ///   - program: The program `kith`.
    ///   - postgres: The URL of the database.
    ///   - folder: Where it runs. All nodes of a database share the file of discovery keys there.
    /// - Throws: ``NotStarted``, or an error of the system.
    convenience init(_ program: URL, postgres: String, in folder: URL) throws {
        try self.init(
            program, address: postgres, log: folder.appending(path: "node-\(UUID().uuidString).log"), folder: folder)
    }

    private init(
        _ program: URL, address: String, log: URL, folder: URL? = nil, environment: [String: String] = [:]
    ) throws {
        let failure = NotStarted(program: program, log: log)
        guard FileManager.default.isExecutableFile(atPath: program.path()) else { throw failure }
        _ = FileManager.default.createFile(atPath: log.path(), contents: nil)
        // A relative path would be looked for in the folder.
        process.executableURL = URL(filePath: program.path()).absoluteURL
        if let folder { process.currentDirectoryURL = folder }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.arguments = ["serve", "--port", "0", "--database", address] + Self.unlimited
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: log)
        try process.runReceivingSignals()
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw failure }
            text += String(decoding: data, as: UTF8.self)
        }
        // “Kith serves at http://127.0.0.1:PORT”
        guard let address = text.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("http") }),
            let url = URL(string: String(address))
        else { throw failure }
        self.url = url
    }

    deinit { stop() }

    /// What the server uses: memory and processor time.
    var usage: ProcessUsage { ProcessUsage(process: process.processIdentifier) }

    /// Stops the server, and waits until it has stored everything.
    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
